# mypy: ignore-errors
"""Exponentials and logarithms of lanes (``lane_kernels``), by polynomials.

The compiler's own are one number at a time. Ranges are reduced as usual: a whole number of times
ln 2, in two parts so that its product with a small integer is exact, and a small rest.
"""

import math
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from leaven._base.lane_kernels import vector_function

LOG2_E = 1.4426950408889634
ROUNDER = 1.5 * 2.0**52  # adding it rounds to a whole number, which is then in the lowest bits
DEGREE = 13  # of the polynomial of e to the power
LEAST_EXPONENT = -700.0  # of which e to the power is still a normal number


class _Precision(NamedTuple):
    n_bits: int  # of the fraction
    ln_2_high: float
    ln_2_low: float
    least: float  # normal number
    root: int  # bits of the square root of one half
    terms: tuple[float, ...]  # of (log((1 + s) / (1 - s)) - 2 s) / s, in powers of s squared


# The terms are minimax polynomials for |s| < 0.1716, those of FreeBSD's logf and log.
PRECISIONS = {
    32: _Precision(
        23,
        6.9313812256e-01,
        9.0580006145e-06,
        float(np.finfo(np.float32).tiny),
        int(np.float32(math.sqrt(0.5)).view(np.int32)),
        (0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841),
    ),
    64: _Precision(
        52,
        6.93147180369123816490e-01,
        1.90821492927058770002e-10,
        float(np.finfo(np.float64).tiny),
        int(np.float64(math.sqrt(0.5)).view(np.int64)),
        (
            6.666666666666735130e-01,
            3.999999999940941908e-01,
            2.857142874366239149e-01,
            2.222219843214978396e-01,
            1.818357216161805012e-01,
            1.531383769920937332e-01,
            1.479819860511658591e-01,
        ),
    ),
}


class _Builder:
    """Operations on lanes of one type, shorter than in llvmlite."""

    def __init__(self, builder, kind, n_bits):
        self.builder, self.kind = builder, kind
        self.whole = ir.VectorType(ir.IntType(n_bits), kind.count)
        self.suffix = f"v{kind.count}f{n_bits}"

    def number(self, number):
        return ir.Constant(self.kind, [number] * self.kind.count)

    def integer(self, number):
        return ir.Constant(self.whole, [number] * self.kind.count)

    def bits(self, x):
        return self.builder.bitcast(x, self.whole)

    def from_bits(self, x):
        return self.builder.bitcast(x, self.kind)

    def fused(self, x, y, z):
        function = vector_function(
            self.builder, f"llvm.fmuladd.{self.suffix}", self.kind, [x, y, z]
        )
        return self.builder.call(function, [x, y, z])

    def polynomial(self, x, terms):
        """Terms in ascending powers of x."""
        found = self.number(terms[-1])
        for term in terms[-2::-1]:
            found = self.fused(found, x, self.number(term))
        return found


@intrinsic
def exponentials(typing_context, a):
    """Powers of e, all lanes being at most 0 and in double precision, to the last bit or two.

    2ⁿ eʳ with a whole n and |r| ≤ ln(2) / 2; the polynomial's rest is below 2⁻⁵³.
    """
    precision = PRECISIONS[64]

    def generate(context, builder, signature, arguments):
        lanes = _Builder(builder, arguments[0].type, 64)
        least = lanes.number(LEAST_EXPONENT)
        is_normal = builder.fcmp_ordered(">", arguments[0], least)
        x = builder.select(is_normal, arguments[0], least)
        shifted = lanes.fused(x, lanes.number(LOG2_E), lanes.number(ROUNDER))
        n = builder.fsub(shifted, lanes.number(ROUNDER))
        r = lanes.fused(n, lanes.number(-precision.ln_2_high), x)
        r = lanes.fused(n, lanes.number(-precision.ln_2_low), r)
        power = lanes.polynomial(r, [1.0 / math.factorial(i) for i in range(DEGREE + 1)])
        exponent = builder.shl(lanes.bits(shifted), lanes.integer(precision.n_bits))
        return lanes.from_bits(builder.add(lanes.bits(power), exponent))

    return a(a), generate


@intrinsic
def logarithms(typing_context, a):
    """Natural logarithms, all lanes being at least 0, to the last bit or two.

    n ln 2 + log(1 + f) with a whole n and 1 + f between the square roots of one half and of two;
    with s = f / (2 + f), log(1 + f) = f - f²/2 + s (f²/2 + R(s²)). Infinity and NaN are returned.
    """
    precision = PRECISIONS[a.element.bitwidth]

    def generate(context, builder, signature, arguments):
        lanes = _Builder(builder, arguments[0].type, a.element.bitwidth)
        n_bits = lanes.integer(precision.n_bits)
        is_small = builder.fcmp_ordered("<", arguments[0], lanes.number(precision.least))
        scaled = builder.fmul(arguments[0], lanes.number(2.0**precision.n_bits))
        bits = lanes.bits(builder.select(is_small, scaled, arguments[0]))
        exponent = builder.ashr(builder.sub(bits, lanes.integer(precision.root)), n_bits)
        near_one = lanes.from_bits(builder.sub(bits, builder.shl(exponent, n_bits)))
        unscaled = builder.select(is_small, builder.sub(exponent, n_bits), exponent)
        n = builder.sitofp(unscaled, lanes.kind)
        f = builder.fsub(near_one, lanes.number(1.0))
        s = builder.fdiv(f, builder.fadd(f, lanes.number(2.0)))
        squared = builder.fmul(s, s)
        rest = builder.fmul(squared, lanes.polynomial(squared, precision.terms))
        half = builder.fmul(builder.fmul(f, f), lanes.number(0.5))
        low = builder.fmul(n, lanes.number(precision.ln_2_low))
        rest = lanes.fused(s, builder.fadd(half, rest), low)
        log = builder.fsub(f, builder.fsub(half, rest))
        log = lanes.fused(n, lanes.number(precision.ln_2_high), log)
        is_finite = builder.fcmp_ordered("<", arguments[0], lanes.number(math.inf))
        is_zero = builder.fcmp_ordered("==", arguments[0], lanes.number(0.0))
        log = builder.select(is_finite, log, arguments[0])
        return builder.select(is_zero, lanes.number(-math.inf), log)

    return a(a), generate
