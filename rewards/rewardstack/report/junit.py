"""One scored run as JUnit XML, for the test views of CI servers."""

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from rewardstack.finding import Check
from rewardstack.report.expectations import Mismatch
from rewardstack.report.outcome import MEASURES
from rewardstack.report.run import ScoredRun
from rewardstack.report.texts import xml_safe

__all__ = ["junit_xml"]

COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def junit_xml(run: ScoredRun, least: Mapping[str, float] | None = None) -> bytes:
    """Return a run as JUnit XML in UTF-8.

    One test case for every row with an expectation, for every measure that `least` asks for, and for every contract
    check of every term. Rows whose reward erred are errors, others that are not as expected failures. Characters
    that XML cannot hold are written as escapes.
    """
    root = Element("testsuites", name=xml_safe(run.stack.name))
    suites = {"expectations": rows(run), "labels": measures(run, least or {}), "contract": contract(run)}
    for name, cases in suites.items():
        suite = Element("testsuite", name=f"{xml_safe(run.stack.name)}.{name}")
        suite.extend(cases)
        counts = {plural: len(suite.findall(f"testcase/{tag}")) for tag, plural in COUNTED.items()}
        for attribute, count in {"tests": len(suite), **counts}.items():
            suite.set(attribute, str(count))
        if len(suite):
            root.append(suite)
    for attribute in ("tests", *COUNTED.values()):
        root.set(attribute, str(sum(int(suite.get(attribute, "0")) for suite in root)))
    root.set("time", f"{run.seconds:.3f}")
    indent(root)
    xml: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return xml


def case(group: str, name: str, outcome: str = "", message: str = "", text: str = "") -> Element:
    """Return a test case; `outcome` is the tag of what it came to, empty when it passed."""
    made = Element("testcase", classname=xml_safe(group), name=xml_safe(name))
    if outcome:
        SubElement(made, outcome, message=xml_safe(message)).text = xml_safe(text)
    return made


def rows(run: ScoredRun) -> Iterator[Element]:
    """Yield a test case for every row with an expectation."""
    if run.expectations is None:
        return
    missed: dict[int, list[Mismatch]] = {}
    for mismatch in run.expectations.mismatches:
        missed.setdefault(mismatch.row, []).append(mismatch)
    for row in run.expectations.rows:
        found = missed.get(row, [])
        outcome = ("error" if run.scores[row].errors else "failure") if found else ""
        text = "\n".join(map(str, found))
        yield case(run.source, name_row(run, row), outcome, "; ".join(each.of for each in found), text)


def name_row(run: ScoredRun, row: int) -> str:
    """Return a name that no other row has and that stays when rows are added behind."""
    id = run.scores[row].id
    return run.places[row] if id in ("", str(row)) else f"{run.places[row]} ({id})"


def measures(run: ScoredRun, least: Mapping[str, float]) -> Iterator[Element]:
    """Yield a test case for every measure that is asked for."""
    for measure in MEASURES:
        if run.labels is None or measure not in least:
            continue
        value, bound = getattr(run.labels, measure), least[measure]
        good = value is not None and value >= bound
        message = f"{measure} is {value}, at least {bound:g} is asked for"
        yield case(run.labels.term, f"{measure} of {run.labels.term}", "" if good else "failure", message)


def contract(run: ScoredRun) -> Iterator[Element]:
    """Yield a test case for every contract check."""
    outcomes = {"passed": "", "failed": "failure", "skipped": "skipped"}
    for check in run.checks:
        outcome = outcomes[check.status]
        yield case(check.term, f"{check.term}: {check.name}", outcome, first_message(check), details(check))


def first_message(check: Check) -> str:
    """Return what an outcome says in one line."""
    return check.findings[0].message if check.findings else check.note


def details(check: Check) -> str:
    """Return every finding on a line of its own."""
    return "\n".join(f"{finding.place}: {finding.message}" for finding in check.findings)
