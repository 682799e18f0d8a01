"""The tree of errors: each is a ``BelatedError`` and also a fitting built-in error."""

import pytest

from belated.core import errors
from belated.core.errors import BelatedError

LEAVES = [
    found
    for found in vars(errors).values()
    if isinstance(found, type) and issubclass(found, BelatedError) and found is not BelatedError
]


@pytest.mark.parametrize("leaf", LEAVES)
def test_an_error_is_belated_and_also_a_fitting_built_in(leaf: type[BelatedError]) -> None:
    built_in = next(base for base in leaf.__mro__ if base.__module__ == "builtins")
    assert issubclass(leaf, BelatedError)
    assert built_in not in (Exception, BaseException)


def test_the_tree_is_as_documented() -> None:
    assert {leaf.__name__: leaf.__bases__[-1] for leaf in LEAVES} == {
        "InvalidArgument": ValueError,
        "NameTaken": errors.InvalidArgument,
        "Archived": errors.InvalidArgument,
        "UnknownRound": LookupError,
        "AlreadyAnswered": LookupError,
        "UnknownKey": LookupError,
        "UnknownDecision": LookupError,
        "BadRow": ValueError,
        "UsedUp": RuntimeError,
        "NothingOwed": LookupError,
        "RoundRequired": TypeError,
        "SharedPlayer": RuntimeError,
        "StateMismatch": ValueError,
        "NumericalFailure": ArithmeticError,
        "OutsideDomain": ValueError,
        "ProofBroken": ArithmeticError,
        "AssumptionViolated": ValueError,
        "MissingVerb": TypeError,
        "AmbiguousPart": TypeError,
        "CannotCompile": TypeError,
        "Conflict": RuntimeError,
        "StoreFailed": OSError,
        "StoreInUse": RuntimeError,
        "StoreBusy": RuntimeError,
        "StoreDamaged": ValueError,
        "NotAllowed": PermissionError,
        "UnknownLearner": KeyError,
        "ServiceAway": ConnectionError,
        "ServiceFailed": RuntimeError,
        "SomeRefused": ValueError,
        "PlainPython": errors.CannotCompile,
        "WorkersDiffer": RuntimeError,
        "WorkersLost": RuntimeError,
    }
