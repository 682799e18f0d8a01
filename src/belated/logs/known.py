"""The keys that a pass remembers, so that repeated rows and answers that belong to nothing are recognised.

A key is remembered while an answer to it may still come: in a log of one table until its answer is yielded, in a log of
two tables until it is answered, if ever. Of the keys after that, and of answers that came before their questions, the
last ``remember`` are kept. So memory is bounded by what is owed and by that number. A row whose key has been forgotten
is a new question, and an answer to a key that has been forgotten has an unknown key.

The whole number 17 and the text "17" are the same key, because one of two tables may be a CSV file, which has texts
only.
"""

from collections import OrderedDict
from typing import NamedTuple

from belated.logs.events import Key, Label
from belated.logs.records import AnswerRow, QuestionRow, Rows


class _Entry(NamedTuple):
    key: Key
    content: bytes
    label: Label | None


class Known:
    """What is remembered of the keys of a pass.

    Args:
        key: The column of keys of the questions; None if the number of the row is the key, which is never repeated.
        answers_key: The column of keys of the answers, where they have a table of their own.
        label: The column of labels.
        remember: How many keys are remembered that no longer wait for an answer.
    """

    def __init__(self, key: str | None, answers_key: str | None, label: str, remember: int) -> None:
        self._key = key
        self._answers_key = answers_key
        self._label = label
        self._remember = remember
        self._open: dict[str, _Entry] = {}
        self._closed: OrderedDict[str, _Entry] = OrderedDict()
        self._early: OrderedDict[str, AnswerRow] = OrderedDict()

    def is_new(self, question: QuestionRow, rows: Rows) -> bool:
        """Whether the key of a question was not asked before; otherwise it is a duplicate or a bad row."""
        if self._key is None:
            return True
        entry = self._find(str(question.key))
        if entry is None:
            return True
        if entry.content == question.content:
            rows.tally.duplicate_rows += 1
        else:
            allowed = "must not be repeated: an earlier row has this key and other content"
            rows.bad(question.line, "duplicate", self._key, question.key, allowed)
        return False

    def ask(self, question: QuestionRow) -> None:
        """Remember the key of a question that waits for an answer."""
        if self._key is not None:
            self._open[str(question.key)] = _Entry(question.key, question.content, None)

    def answer(self, answer: AnswerRow) -> Key:
        """Note that a question is answered, and return its key as the question has it."""
        if self._key is None:
            return answer.key
        entry = self._open[str(answer.key)]
        self.close(answer.key, answer.label)
        return entry.key

    def close(self, key: Key, label: Label | None = None) -> None:
        """Note that a question no longer waits, and forget the oldest of such if there are too many."""
        if self._key is None:
            return
        self._closed[str(key)] = self._open.pop(str(key))._replace(label=label)
        if len(self._closed) > self._remember:
            self._closed.popitem(last=False)

    def is_due(self, answer: AnswerRow, rows: Rows) -> bool:
        """Whether an answer is the first to a question that was asked.

        An answer whose question has not been asked yet is kept for it. One that repeats an earlier answer is counted
        if the label is the same, and is a bad row otherwise.
        """
        name = str(answer.key)
        if name in self._open:
            return True
        before = self._closed.get(name) or self._early.get(name)
        if before is None:
            self._early[name] = answer
            if len(self._early) > self._remember:
                self._refuse_stranger(self._early.popitem(last=False)[1], rows)
        elif before.label == answer.label:
            rows.tally.duplicate_answers += 1
        else:
            rows.bad(answer.line, "answer", self._label, answer.label, f"must be {before.label!r}, as answered before")
        return False

    def early(self, key: Key) -> AnswerRow | None:
        """Return the answer that came before its question, or None, and keep it no longer."""
        return self._early.pop(str(key), None)

    def refuse_strangers(self, rows: Rows) -> None:
        """Make bad rows of the answers whose questions never came."""
        while self._early:
            self._refuse_stranger(self._early.popitem(last=False)[1], rows)

    def _refuse_stranger(self, answer: AnswerRow, rows: Rows) -> None:
        allowed = "must be the key of a question that was asked and is remembered"
        rows.bad(answer.line, "unknown key", self._answers_key, answer.key, allowed)

    def _find(self, name: str) -> _Entry | None:
        return self._open.get(name) or self._closed.get(name)
