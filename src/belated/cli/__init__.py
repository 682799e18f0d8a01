"""The command line. Every command is a file of this package with a ``COMMAND``; this one calls it and reports errors.

====  ==============================================================
exit  meaning
====  ==============================================================
0     done
1     failed: no space, no permission, a missing package; or all is
      written as it should be, but the output could not be printed
2     the command line is wrong
130   interrupted from the keyboard
====  ==============================================================
"""

import argparse
from collections.abc import Sequence

import belated
from belated.cli import compare, learners, paper, terminal
from belated.cli.command import CommandFailed
from belated.core.errors import BelatedError, InvalidArgument

COMMANDS = (compare.COMMAND, learners.COMMAND, paper.COMMAND)
"""Every command, in the order of the help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that ``argv`` asks for (default: the arguments of this process) and return the exit code."""
    parser = _parser()
    name = parser.prog
    try:
        options = _options(parser, argv)
        if options.command is None:
            terminal.complain(parser.format_help().rstrip())
            return 2
        name = f"{parser.prog} {options.command.name}"
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


def _options(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    try:
        return parser.parse_args(argv)
    finally:
        terminal.flush()  # the help, the version, or what is wrong: argparse prints and exits


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="belated", description="Online decisions whose feedback comes late.")
    parser.add_argument("--version", action="version", version=f"belated {belated.__version__}")
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        subparser = commands.add_parser(
            command.name, help=command.help, description=f"{command.help[0].upper()}{command.help[1:]}."
        )
        command.add_options(subparser)
        subparser.set_defaults(command=command)
    return parser


def _failed(name: str, message: str, code: int) -> int:
    terminal.complain(f"{name}: {message}")
    return code
