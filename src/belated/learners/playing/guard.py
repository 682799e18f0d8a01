"""One caller at a time: a guard that notices when two threads use one player at once.

A player's token lies in a list of one. Whoever calls the player takes it out, and puts it back when done; both are
single steps for Python, so that of two threads one finds the list empty and is refused. It costs some hundredths of a
microsecond.

An interrupt can strike between a call's last line and the step that puts the token back. Then the token is gone with
the call, and nothing else holds it. The guard knows the token by a weak reference: when the list is empty and the token
does not exist any more, nobody is in a call, and there is a new token.
"""

from weakref import ref

from belated.core.errors import SharedPlayer


class Token:
    """The permission to use a player; the thread that holds it is in a call."""

    __slots__ = ("__weakref__",)


class _Issue:
    """One token that was handed out; ``following`` has at most one entry, the issue after it."""

    __slots__ = ("following", "token")

    def __init__(self, token: Token) -> None:
        self.token = ref(token)
        self.following: dict[str, _Issue] = {}


class Guard:
    """The token of one player: take it with ``free.pop()``, or :meth:`renewed` if that fails; put it back by append."""

    __slots__ = ("_issue", "free")

    def __init__(self) -> None:
        token = Token()
        self._issue = _Issue(token)
        self.free = [token]

    def taken(self, where: str) -> Token:
        """The token, which the caller has to put back.

        Args:
            where: The call that needs it, for the message of the error.

        Raises:
            SharedPlayer: Somebody else has it.
        """
        try:
            return self.free.pop()
        except IndexError:
            return self.renewed(where)

    def renewed(self, where: str) -> Token:
        """A new token in place of one that was lost by an interrupt; arguments and errors as for :meth:`taken`."""
        issue = self._issue
        while issue.following:
            issue = issue.following["next"]
        fresh = Token()
        mine = _Issue(fresh)
        if issue.token() is not None or issue.following.setdefault("next", mine) is not mine:
            raise SharedPlayer(
                f"`{where}()`: another thread is using this player; a player belongs to one thread at a time, "
                "so give each thread its own, or let them take turns with a lock"
            )
        self._issue = mine
        return fresh
