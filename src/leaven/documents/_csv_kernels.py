# mypy: ignore-errors
"""Where rows of CSV begin and end, following quotation marks as Arrow does."""

import numpy as np

from leaven._base.compile import kernel

FIELD_START, IN_FIELD, QUOTED, AFTER_QUOTE = range(4)
N_STATES = 4


@kernel
def scan_rows(content, delimiter):
    """Follow a reader of CSV through some bytes, from each state that it may begin in.

    Returns, by state: the state at the end, and where the first row begins, -1 if none does. A
    quotation mark is special at the start of a value and inside quotes only, as Arrow has it.
    """
    end = np.empty(N_STATES, dtype=np.int64)
    first = np.full(N_STATES, -1, dtype=np.int64)
    for begin in range(N_STATES):
        state = begin
        for i in range(len(content)):
            byte = content[i]
            if state == QUOTED:
                if byte == 34:  # "
                    state = AFTER_QUOTE
                continue
            if byte == 34 and state != IN_FIELD:
                state = QUOTED  # opens a value, or is the second of two and stands for itself
            elif byte == 10:
                state = FIELD_START
                if first[begin] < 0:
                    first[begin] = i + 1
            elif byte == delimiter or byte == 13:
                state = FIELD_START
            else:
                state = IN_FIELD
        end[begin] = state
    return end, first


@kernel
def find_row_ends(content, delimiter, state):
    """Follow a reader of CSV through some bytes, from one state.

    Returns the state at the end, and where the first and the last row that end in these bytes
    end, 0 if none does. A carriage return as the very last byte ends no row yet: a line feed may
    follow it.
    """
    first = last = 0
    for i in range(len(content)):
        byte = content[i]
        if state == QUOTED:
            if byte == 34:
                state = AFTER_QUOTE
        elif byte == 34 and state != IN_FIELD:
            state = QUOTED
        elif byte == 10 or byte == 13:
            state = FIELD_START
            if byte == 10 or (i + 1 < len(content) and content[i + 1] != 10):
                last = i + 1
                if first == 0:
                    first = last
        elif byte == delimiter:
            state = FIELD_START
        else:
            state = IN_FIELD
    return state, first, last
