"""The command line. Every command is a file of this package with a ``COMMAND``; this one calls it and reports errors.

====  ==============================================================
exit  meaning
====  ==============================================================
0     done
1     failed: no space, no permission, a missing package; a step of
      a proof that does not hold; or all is written as it should be,
      but the output could not be printed
2     the command line is wrong
130   interrupted from the keyboard
====  ==============================================================
"""

import argparse
import re
import sys
from collections.abc import Sequence

import belated
from belated.cli import certify, compare, learners, log, paper, scaling, serve, store, sweep, terminal
from belated.cli.command import Command, CommandFailed
from belated.core.errors import BelatedError, InvalidArgument
from belated.core.spelling import suggestion

COMMANDS = tuple(each.COMMAND for each in (certify, compare, learners, log, paper, scaling, serve, store, sweep))
"""Every command, in the order of the help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that ``argv`` asks for (default: the arguments of this process) and return the exit code."""
    parser, of_commands = _parsers()
    name = parser.prog
    try:
        options = _options(parser, of_commands, sys.argv[1:] if argv is None else argv)
        if options.command is None or options.command.parts:
            concerned = parser if options.command is None else of_commands[options.called]
            terminal.complain(concerned.format_help().rstrip())
            return 2
        name = f"{parser.prog} {options.called}"
        if argv is None:
            _leave_out_dask(options.called)
        code: int = options.command.run(options)
    except KeyboardInterrupt:
        return _failed(name, "interrupted", 130)
    except BrokenPipeError:
        return 1  # whoever read the output has gone, and knows it
    except InvalidArgument as error:
        return _failed(name, str(error), 2)
    except (BelatedError, CommandFailed) as error:
        return _failed(name, str(error), 1)
    return code


def _leave_out_dask(called: str) -> None:
    """Let xarray do without Dask in this process, which is ours: it would import it for a second, if it is installed.

    None of its arrays are made here, except by a sweep, which may have Dask for its engine.
    """
    if called != "sweep":
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]  # so an import of it fails, and is not needed


def _options(
    parser: argparse.ArgumentParser, of_commands: dict[str, argparse.ArgumentParser], argv: Sequence[str]
) -> argparse.Namespace:
    """The options, or an exit with what is wrong, and with the usage of the command that it is wrong for."""
    try:
        names = [name for name in of_commands if " " not in name]
        if argv and not argv[0].startswith("-") and argv[0] not in names:
            parser.error(f"there is no command {argv[0]!r}; {suggestion(argv[0], names)}")
        parts = [name.partition(" ")[2] for name in of_commands if argv and name.startswith(f"{argv[0]} ")]
        if parts and len(argv) > 1 and not argv[1].startswith("-") and argv[1] not in parts:
            of_commands[argv[0]].error(f"there is no command {argv[1]!r}; {suggestion(argv[1], parts)}")
        options, unknown = parser.parse_known_args(argv)
        if unknown:
            concerned = parser if options.command is None else of_commands[options.called]
            concerned.error(_about(unknown, concerned))
        return options
    finally:
        terminal.flush()  # the help, the version, or what is wrong: argparse prints and exits


def _about(unknown: list[str], parser: argparse.ArgumentParser) -> str:
    """What is said of words that a command does not know, with the option that may have been meant."""
    message = f"unrecognized arguments: {' '.join(unknown)}"
    word = unknown[0].partition("=")[0]
    hint = suggestion(word, sorted(set(re.findall(r"--[a-z-]+", parser.format_usage()))), "")
    return f"{message}; {hint}" if word.startswith("-") and hint else message


def _parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser of the command line, and those of its commands by their names."""
    parser = argparse.ArgumentParser(prog="belated", description="Online decisions whose feedback comes late.")
    parser.add_argument("--version", action="version", version=f"belated {belated.__version__}")
    parser.set_defaults(command=None)
    of_commands: dict[str, argparse.ArgumentParser] = {}
    _add(parser, COMMANDS, "", of_commands)
    return parser, of_commands


def _add(
    parser: argparse.ArgumentParser, commands: Sequence[Command], before: str, found: dict[str, argparse.ArgumentParser]
) -> None:
    """Add commands to a parser, with their parts; ``found`` gets their parsers by the words that call them."""
    parsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in commands:
        called = f"{before}{command.name}"
        description = f"{command.help[0].upper()}{command.help[1:]}."
        found[called] = subparser = parsers.add_parser(command.name, help=command.help, description=description)
        command.add_options(subparser)
        subparser.set_defaults(command=command, called=called)
        if command.parts:
            _add(subparser, command.parts, f"{called} ", found)


def _failed(name: str, message: str, code: int) -> int:
    terminal.complain(f"{name}: {message}")
    return code
