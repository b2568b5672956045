"""Theorem 1 of the paper: how far the risk can be above the empirical one, by the margin.

With f the energy, f̂_r = max f_r(h, t) over the training triples S, n = |S| and the loss

    L(A_S, z) = max(0, f_r(h, t) + M − f_r(h′, t′)),

the paper bounds the risk R (the expected loss) by the empirical risk R_emp (the mean loss on S):

    R ≤ R_emp + √((M + f̂_r)² / (2nδ) + 6 f̂_r (M + f̂_r) / δ)   with probability ≥ 1 − δ.

Two things to know before relying on it. The second term has no n: the bound does not fall to 0 with
more triples, since the stability of lemma 1, β = 2 f̂_r, does not. And that lemma holds the vectors
still while a triple is replaced, which training does not; the experiment `theorem1` measures what
the gap is in fact.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from transa.errors import ConfigError


def hinge_loss(f: ArrayLike, f_corrupted: ArrayLike, margin: ArrayLike) -> NDArray[np.float64]:
    """L = max(0, f_r(h, t) + M − f_r(h′, t′)), the paper's equation 1 (never negative).

    Example:
        >>> hinge_loss([1.0, 1.0], [1.5, 4.0], 2.0)
        array([1.5, 0. ])
    """
    violation = np.asarray(f, np.float64) + np.asarray(margin) - np.asarray(f_corrupted)
    loss: NDArray[np.float64] = np.maximum(0.0, violation)
    return loss


def stability(f_hat: float) -> float:
    """β = 2 f̂_r, the Uniform-Replace-One stability (lemma 1).

    By so much the loss of a triple changes at most when its corrupted triple is another one, the
    vectors being the same: both energies lie between 0 and f̂_r.
    """
    _not_negative("f_hat", f_hat)
    return 2 * f_hat


def loss_ceiling(margin: float, f_hat: float) -> float:
    """L̂ = M + f̂_r: no training triple has a greater loss."""
    _not_negative("margin", margin)
    _not_negative("f_hat", f_hat)
    return margin + f_hat


def second_moment_bound(l_hat: float, n: int, change: float) -> float:
    """E_S[(R − R_emp)²] ≤ L̂² / (2n) + 3 L̂ E|L(A_S, z_i) − L(A_Sⁱ, z_i)| (lemma 2).

    Bousquet and Elisseeff 2002, lemma 9, for algorithms to which the order of S does not matter.

    Args:
        l_hat: the greatest loss, L̂; losses are not negative.
        n: how many samples S has.
        change: the expected change of a loss when its sample is replaced, or a bound on it.
    """
    _not_negative("l_hat", l_hat)
    _not_negative("change", change)
    if n < 1:
        raise ConfigError(f"n is at least 1, found {n}")
    return l_hat**2 / (2 * n) + 3 * l_hat * change


def gap_bound(margin: float, f_hat: float, n: int, delta: float) -> float:
    """By how much R exceeds R_emp at most, with probability ≥ 1 − δ (theorem 1).

    Chebyshev's inequality on lemma 2, with the stability of lemma 1.

    Args:
        margin: M.
        f_hat: f̂_r, the greatest energy of a training triple.
        n: how many training triples there are.
        delta: the probability δ that the bound does not hold.

    Example:
        >>> round(gap_bound(margin=1.0, f_hat=2.0, n=1000, delta=0.1), 2)
        18.97
    """
    if not 0 < delta <= 1:
        raise ConfigError(f"delta is above 0 and at most 1, found {delta}")
    moment = second_moment_bound(loss_ceiling(margin, f_hat), n, stability(f_hat))
    return math.sqrt(moment / delta)


def _not_negative(name: str, value: float) -> None:
    if not 0 <= value < math.inf:
        raise ConfigError(f"{name} is a finite number of at least 0, found {value}")
