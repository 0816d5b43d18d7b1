# mypy: ignore-errors
"""Vector operations for compiled loops: several neighboring numbers of an array, as one value.

The compiler vectorises a loop over the columns of a row only where it is long: of a loop over 20
columns, most are left to a remainder, one number at a time. These functions say what is meant. A
*lanes* argument is a tuple whose length is the number of lanes, so that one source serves several
widths, and only those in use are compiled. Where a processor has narrower registers, the compiler
splits the operations.

Places are those of the array's memory, counted in numbers: arrays must be contiguous, and nothing
checks that a place is inside.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

MOST_LANES = 16  # numbers in a vector register of today's widest processors, in single precision


def lanes_for(n_columns: int) -> tuple[int, ...]:
    """The widest lanes of which two cover at most twice a row of so many columns."""
    n_lanes = 1
    while 2 * n_lanes < min(n_columns, 2 * MOST_LANES):
        n_lanes *= 2
    return (0,) * n_lanes


class Lanes(types.Type):
    """Several numbers of one type, in one register or a few."""

    def __init__(self, element, count):
        self.element, self.count = element, count
        super().__init__(name=f"Lanes({element}, {count})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        element = manager.lookup(kind.element).get_data_type()
        super().__init__(manager, kind, ir.VectorType(element, kind.count))


def _address(context, builder, kind, array, place):
    base = context.make_array(kind)(context, builder, array).data
    return builder.gep(base, [place])


def vector_function(builder, name, result, arguments):
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return cgutils.get_or_insert_function(builder.module, kind, name)


def _everywhere(builder, kind, element):
    nothing = ir.Constant(kind, ir.Undefined)
    index = ir.IntType(32)
    first = builder.insert_element(nothing, element, ir.Constant(index, 0))
    everywhere = ir.Constant(ir.VectorType(index, kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, nothing, everywhere)


@intrinsic
def load(typing_context, array, place, lanes):
    """The numbers of ``array`` from ``place`` on."""
    result = Lanes(array.dtype, lanes.count)

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments[:2])
        pointer = builder.bitcast(address, context.get_data_type(result).as_pointer())
        return builder.load(pointer, align=array.dtype.bitwidth // 8)

    return result(array, types.intp, lanes), generate


@intrinsic
def load_wide(typing_context, array, place, lanes):
    """The numbers of ``array`` from ``place`` on, in double precision."""
    result = Lanes(types.float64, lanes.count)

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments[:2])
        kind = context.get_data_type(Lanes(array.dtype, lanes.count))
        found = builder.load(
            builder.bitcast(address, kind.as_pointer()), align=array.dtype.bitwidth // 8
        )
        is_wide = array.dtype == types.float64
        return found if is_wide else builder.fpext(found, context.get_data_type(result))

    return result(array, types.intp, lanes), generate


@intrinsic
def store(typing_context, array, place, value):
    """Write the numbers to ``array`` from ``place`` on, in its precision."""

    def generate(context, builder, signature, arguments):
        number = value
        lanes = arguments[2]
        if value.element != array.dtype:
            number = Lanes(array.dtype, value.count)
            lanes = builder.fptrunc(lanes, context.get_data_type(number))
        address = _address(context, builder, signature.args[0], *arguments[:2])
        pointer = builder.bitcast(address, lanes.type.as_pointer())
        builder.store(lanes, pointer, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def spread(typing_context, number, array, lanes):
    """One number in all lanes, in the precision of ``array``."""
    result = Lanes(array.dtype, lanes.count)

    def generate(context, builder, signature, arguments):
        element = context.cast(builder, arguments[0], number, array.dtype)
        return _everywhere(builder, context.get_data_type(result), element)

    return result(number, array, lanes), generate


@intrinsic
def spread_at(typing_context, numbers, place, array, lanes):
    """The number at ``place`` in all lanes, in the precision of ``array``."""
    result = Lanes(array.dtype, lanes.count)

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments[:2])
        number = context.cast(builder, builder.load(address), numbers.dtype, array.dtype)
        return _everywhere(builder, context.get_data_type(result), number)

    return result(numbers, types.intp, array, lanes), generate


@intrinsic
def row_at(typing_context, rows, place):
    """The number of a row, at ``place`` of an array; numba would allow places before its end."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments)
        return context.cast(builder, builder.load(address), rows.dtype, types.intp)

    return types.intp(rows, types.intp), generate


@intrinsic
def multiply(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fmul(*arguments)

    return a(a, b), generate


@intrinsic
def multiply_add(typing_context, a, b, c):
    """The product of a and b plus c, rounded once where the processor can."""

    def generate(context, builder, signature, arguments):
        name = f"llvm.fmuladd.v{a.count}f{a.element.bitwidth}"
        function = vector_function(builder, name, arguments[0].type, arguments)
        return builder.call(function, arguments)

    return a(a, b, c), generate


@intrinsic
def add_wide(typing_context, total, part):
    """The sum in double precision; ``part`` may be in single precision."""

    def generate(context, builder, signature, arguments):
        sum_, lanes = arguments
        if part.element != types.float64:
            lanes = builder.fpext(lanes, sum_.type)
        return builder.fadd(sum_, lanes)

    return total(total, part), generate


@intrinsic
def add(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments)

    return a(a, b), generate


@intrinsic
def subtract(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fsub(*arguments)

    return a(a, b), generate


@intrinsic
def or_zero(typing_context, a, least):
    """The number of each lane where it is at least ``least``, zero elsewhere."""

    def generate(context, builder, signature, arguments):
        is_kept = builder.fcmp_ordered(">=", *arguments)
        return builder.select(is_kept, arguments[0], ir.Constant(arguments[0].type, None))

    return a(a, least), generate


@intrinsic
def larger(typing_context, a, b):
    """The larger number of each lane."""

    def generate(context, builder, signature, arguments):
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return a(a, b), generate


@intrinsic
def sum_of(typing_context, a):
    """The sum of all lanes, in an order that the processor is fast in."""

    def generate(context, builder, signature, arguments):
        start = ir.Constant(arguments[0].type.element, -0.0)
        name = f"llvm.vector.reduce.fadd.v{a.count}f{a.element.bitwidth}"
        function = vector_function(builder, name, start.type, [start, arguments[0]])
        return builder.call(function, [start, arguments[0]], fastmath=("reassoc",))

    return a.element(a), generate


@intrinsic
def largest_of(typing_context, a):
    """The largest of all lanes."""

    def generate(context, builder, signature, arguments):
        name = f"llvm.vector.reduce.fmax.v{a.count}f{a.element.bitwidth}"
        function = vector_function(builder, name, arguments[0].type.element, arguments)
        return builder.call(function, arguments)

    return a.element(a), generate


@intrinsic
def any_nonzero(typing_context, a):
    """Whether a number of any lane is not zero."""

    def generate(context, builder, signature, arguments):
        is_nonzero = builder.fcmp_unordered(
            "!=", arguments[0], ir.Constant(arguments[0].type, None)
        )
        bits = builder.bitcast(is_nonzero, ir.IntType(a.count))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(a), generate


@intrinsic
def prefetch(typing_context, array, place):
    """Start to load the number at ``place``, which will be needed soon."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments)
        address = builder.bitcast(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        how = [ir.Constant(number, n) for n in (0, 3, 1)]  # to read, keep close, data
        function = vector_function(builder, "llvm.prefetch.p0i8", ir.VoidType(), [address, *how])
        builder.call(function, [address, *how])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
