# mypy: ignore-errors
"""A JSON array rewritten in place as lines, one for each of its elements."""

from leaven._base.compile import kernel

N_STATES = 5
PLACE, DEPTH, IN_STRING, AFTER_BACKSLASH, FILLED = range(N_STATES)
BEFORE, INSIDE, BEHIND = range(3)  # values of PLACE


@kernel
def split_elements(content, state):
    """Put each element of an array on a line of its own; returns whether the array is sound.

    Commas between elements become line feeds; the brackets of the array, and line breaks outside
    strings, become spaces. ``state`` carries over to the bytes that follow. What the elements
    themselves hold is not checked.
    """
    for i in range(len(content)):
        byte = content[i]
        if state[IN_STRING]:
            if state[AFTER_BACKSLASH]:
                state[AFTER_BACKSLASH] = 0
            elif byte == 92:  # backslash
                state[AFTER_BACKSLASH] = 1
            elif byte == 34:  # "
                state[IN_STRING] = 0
        elif byte == 32 or byte == 9:
            continue
        elif byte == 10 or byte == 13:
            content[i] = 32
        elif state[PLACE] == BEFORE:
            if byte != 91:  # [
                return False
            content[i] = 32
            state[PLACE] = INSIDE
        elif state[PLACE] == BEHIND:
            return False
        elif state[DEPTH] == 0 and byte == 44:  # ,
            if not state[FILLED]:
                return False
            content[i] = 10
            state[FILLED] = 0
        elif state[DEPTH] == 0 and byte == 93:  # ]
            content[i] = 32
            state[PLACE] = BEHIND
        else:
            state[FILLED] = 1
            if byte == 34:
                state[IN_STRING] = 1
            elif byte == 91 or byte == 123:  # [ {
                state[DEPTH] += 1
            elif byte == 93 or byte == 125:  # ] }
                state[DEPTH] -= 1
    return True
