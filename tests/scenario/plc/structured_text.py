"""Runs IEC 61131-3 structured text, as much of it as the README's example uses, cycle by cycle.

VAR ... END_VAR with BOOL, UINT, WORD and TON; := on variables and on bits (Status.3); IF ELSIF ELSE, CASE; calls of a TON;
AND OR NOT = <> < > <= >= and parentheses; numbers, TRUE, FALSE, T#10s, T#1500ms; (* comments *). Anything else is refused.
"""
import re

TOKEN = re.compile(r"\s+|\(\*.*?\*\)|(?P<time>T#[0-9]+m?s)|(?P<number>[0-9]+)|(?P<name>[A-Za-z_]\w*)|(?P<sign>:=|<>|<=|>=|[=<>();:,.])", re.S)
WORDS = {"VAR", "END_VAR", "IF", "THEN", "ELSIF", "ELSE", "END_IF", "CASE", "OF", "END_CASE", "AND", "OR", "NOT", "TRUE", "FALSE"}
COMPARE = {"=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b,
           ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b}


class Ton:
    """Q is TRUE once IN has been TRUE for PT."""

    def __init__(self):
        self.Q, self.elapsed_ms = False, 0

    def call(self, cycle_ms, IN, PT):
        self.elapsed_ms = self.elapsed_ms + cycle_ms if IN else 0
        self.Q = IN and self.elapsed_ms >= PT


class Program:
    """`values` holds the variables by name; scan() runs the whole text once, `cycle_ms` after the last time."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise SyntaxError(f"line {text.count(chr(10), 0, at) + 1}: {text[at:at + 20]!r} is not understood")
            if found.lastgroup:
                self.tokens.append((found.lastgroup, found.group(), text.count("\n", 0, at) + 1))
            at = found.end()
        self.at, self.values = 0, {}
        self.declarations()
        self.body = self.statements(())
        if self.at != len(self.tokens):
            self.fail("a statement")
        self.cycle_ms = 0

    def scan(self, cycle_ms):
        self.cycle_ms = cycle_ms
        for statement in self.body:
            statement()

    # Reading
    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def fail(self, wanted):
        line = self.tokens[min(self.at, len(self.tokens) - 1)][2]
        raise SyntaxError(f"line {line}: {self.peek()!r} where {wanted} is expected")

    def take(self, *wanted):
        if wanted and self.peek() not in wanted:
            self.fail(" or ".join(wanted))
        self.at += 1
        return self.tokens[self.at - 1][1]

    def name(self):
        if self.peek() in WORDS or self.tokens[self.at][0] != "name":
            self.fail("a name")
        return self.take()

    def variable(self):
        name = self.name()
        if name not in self.values:
            self.at -= 1
            self.fail("a declared variable")
        return name

    def declarations(self):
        self.take("VAR")
        while self.peek() != "END_VAR":
            names = [self.name()]
            while self.peek() == ",":
                self.take()
                names.append(self.name())
            self.take(":")
            kind = self.take("BOOL", "UINT", "WORD", "TON")
            self.take(";")
            for name in names:
                self.values[name] = Ton() if kind == "TON" else False if kind == "BOOL" else 0
        self.take("END_VAR")

    def statements(self, ends):
        found = []
        while self.at < len(self.tokens) and self.peek() not in ends:
            if ends and self.tokens[self.at][0] == "number":
                break  # the next label of a CASE
            found.append(self.statement())
        return found

    def statement(self):
        if self.peek() == "IF":
            return self.choice()
        if self.peek() == "CASE":
            return self.case()
        name = self.variable()
        if isinstance(self.values[name], Ton):
            return self.call(name)
        bit = None
        if self.peek() == ".":
            self.take()
            bit = int(self.take())
        self.take(":=")
        value = self.expression()
        self.take(";")

        def assign():
            new = value()
            if bit is not None:
                new = self.values[name] & ~(1 << bit) | bool(new) << bit
            self.values[name] = new
        return assign

    def call(self, name):
        self.take("(")
        self.take("IN")
        self.take(":=")
        given = self.expression()
        for word in (",", "PT", ":="):
            self.take(word)
        preset = self.expression()
        self.take(")")
        self.take(";")
        return lambda: self.values[name].call(self.cycle_ms, given(), preset())

    def choice(self):
        arms = []
        while self.take("IF", "ELSIF", "ELSE", "END_IF") != "END_IF":
            other = self.tokens[self.at - 1][1] == "ELSE"
            condition = (lambda: True) if other else self.expression()
            if not other:
                self.take("THEN")
            arms.append((condition, self.statements(("ELSIF", "ELSE", "END_IF"))))
        self.take(";")

        def run():
            for condition, body in arms:
                if condition():
                    for statement in body:
                        statement()
                    return
        return run

    def case(self):
        self.take("CASE")
        selector = self.expression()
        self.take("OF")
        arms = {}
        while self.peek() != "END_CASE":
            label = int(self.take())
            self.take(":")
            arms[label] = self.statements(("END_CASE",))
        self.take("END_CASE")
        self.take(";")

        def run():
            for statement in arms.get(selector(), []):
                statement()
        return run

    # Expressions, in the standard's order of precedence
    def expression(self):
        left = self.conjunction()
        while self.peek() == "OR":
            self.take()
            left = (lambda a, b: lambda: a() or b())(left, self.conjunction())
        return left

    def conjunction(self):
        left = self.comparison()
        while self.peek() == "AND":
            self.take()
            left = (lambda a, b: lambda: a() and b())(left, self.comparison())
        return left

    def comparison(self):
        left = self.operand()
        while self.peek() in COMPARE:
            left = (lambda how, a, b: lambda: how(a(), b()))(COMPARE[self.take()], left, self.operand())
        return left

    def operand(self):
        kind, text, _ = self.tokens[self.at]
        if text == "NOT":
            self.take()
            value = self.operand()
            return lambda: not value()
        if text == "(":
            self.take()
            value = self.expression()
            self.take(")")
            return value
        if text in ("TRUE", "FALSE"):
            self.take()
            return lambda: text == "TRUE"
        if kind == "number":
            self.take()
            return lambda: int(text)
        if kind == "time":
            self.take()
            ms = int(text[2:-2]) if text.endswith("ms") else 1000 * int(text[2:-1])
            return lambda: ms
        name = self.variable()
        if self.peek() != ".":
            return lambda: self.values[name]
        self.take()
        if self.peek() == "Q":
            self.take()
            return lambda: self.values[name].Q
        bit = int(self.take())
        return lambda: bool(self.values[name] >> bit & 1)
