"""Checks a verdict against the files of its runs: rounds.csv, devices.csv and manifest.json.

Nothing here comes from the program but those files and the text. The text is read as a row of claims; each name and each
number in it must be what the files give, rounded as it is shown. Nothing in it may be left over, and nothing left out: the
claims must be those, in their order, that docs/verdicts.md asks for.
"""
import math
import re


class Mistake(AssertionError):
    """The text says something that the files do not."""


def check(condition, *what):
    if not condition:
        raise Mistake(*what)


# --- How numbers are shown -------------------------------------------------------------------------

def shown(value):
    if 99.95 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    if not exponent:
        return mantissa
    power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if mantissa == "1" else f"{mantissa}×{power}"


def ratio_shown(ratio):
    if 1 < ratio < 1.1:
        return f"{ratio:.{math.ceil(-math.log10(ratio - 1)) + 1}f}"
    return shown(ratio)


# --- What the text says ----------------------------------------------------------------------------

POWER = "10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+"
NUMBER = rf"(?:[\d,]*\d(?:\.\d+)?(?:×{POWER})?|{POWER})"
PARTS = {  # "{T2}" is the part T with groups whose names end with 2.
    "T": rf"(?P<T#_least>at least )?(?P<T#>{NUMBER}) s", "E": rf"(?P<E#_least>at least )?(?P<E#>{NUMBER}) J",
    "G": rf"(?P<G#>{NUMBER}) %", "P": r"(?P<P#>\d+\.\d) %", "W": r"(?P<W#>[\d,]+) rounds?",
    "K": r"(?P<K#>keeps?|(?:is|are) known to keep)",
    "R": r"(?:, in (?P<R#>\d+) of (?P<R#_all>\d+) runs)?",
    "X": rf"(?P<X#>{NUMBER}) of (?P<X#_all>[\d,]+)(?P<X#_devices> devices?)?",
    "O": rf"\((?P<O#>the worst|it) (?:spends (?P<O#_ratio>{NUMBER}) times its budget|"
         rf"has a budget of 0 J); (?P<O#_beyond>{NUMBER}) J beyond(?P<O#_sum> in sum)?\)",
}
CLAIMS = {  # {N} is the name of a strategy.
    "nobody": r"Nobody took part in any round, so that nothing was learned",
    "first_and_thrifty": r"{N} reaches {G} first, after {T}{R}(?P<about> \([^()]*\))?, and with the least energy, {E}",
    "first": r"{N} reaches {G} first, after {T} and {E}{R}(?P<about> \([^()]*\))?",
    "reaches": r"{N} reaches {G} after {T} and {E}{R}(?P<rank>, most reliably of all|, the only strategy that does so)?",
    "thrifty": r"; {N} does so with the least energy, {E} \({T}\)",
    "seldom": r"; {N} after {T} and {E}{R}",
    "more": r"; (?P<count>\d+) more in no more runs",
    "late": r"; (?P<names>[^;]*?) do(?:es)? not get there within {W}, which take (?P<costs>[^;.]*(?:\.\d[^;.]*)*)",
    "none": r"No strategy reaches {G} within {W}; {N} comes furthest, to {P} after {T} and {E}",
    "furthest": r"In {W}, {N} comes furthest, to {P} after {T} and {E}",
    "alone": r"In {W}, which take {T} and {E}, {N} comes to {P}",
    "misses": r"{N} does not reach {G} within {W}, which take {T} and {E}; it comes to {P}",
    "keeps": r", keeping every energy budget",
    "breaks": r", but takes {X} over (?P<whose>their energy budgets|its energy budget)(?P<mean> on average)? {O}",
    "no_keeper": r" No strategy keeps every energy budget(?:; {N} takes the fewest devices over|, and none takes fewer "
                 r"devices over than {N2})(?P<numbers>, {X}(?P<mean> on average)? {O})?",
    "only_keeper": r" Only {N} {K} every energy budget; it (?:reaches {G} after {T} and {E}{R}|does not reach {G2} "
                   r"within {W}, and comes to {P}|comes to {P2} after {T2} and {E2})",
    "keeper_first_and_thrifty": r" Of the strategies that {K} every energy budget, {N} is first, after {T}{R}"
                                r"(?P<about> \([^()]*\))?, and takes the least energy, {E}",
    "keeper_first": r" Of the strategies that {K} every energy budget, {N} is first, after {T} and {E}{R}"
                    r"(?P<about> \([^()]*\))?; {N2} takes the least energy, {E2} \({T2}\)",
    "keeper_alone": r" Of the strategies that {K} every energy budget, (?:only {N} reaches {G}|{N2} reaches {G2} most "
                    r"reliably), after {T} and {E}{R}",
    "keeper_late": r" Of the strategies that {K} every energy budget, none reaches {G} within {W}; {N} comes furthest, "
                   r"to {P}",
    "keeper_furthest": r" Of the strategies that {K} every energy budget, {N} comes furthest, to {P} after {T} and {E}",
    "beyond": r" (?:No strategy reaches|It does not reach) {G} within {W}",
    "times": r" Times count (?P<booked>[a-z, ]+?)(?P<means>, and are means over runs, as energies and accuracies are)?"
             r"(?=\.)",
}

OPTIONAL = ("about", "rank", "numbers", "means")  # groups of claims that are there or not, as the files ask for


def pattern_of(claim, names):
    def part(match):
        kind, number = match[1][0], match[1][1:]
        if kind == "N":
            return f"(?P<N{number}>{names})"
        return PARTS[kind].replace("#", number)
    return re.compile(re.sub(r"\{(\w+)\}", part, claim))


class Reader:
    """Reads the claims of a verdict one after another, and checks each against the facts."""

    def __init__(self, facts):
        self.facts = facts
        names = "|".join(re.escape(name) for name in sorted(facts.strategies, key=len, reverse=True))
        self.patterns = {kind: pattern_of(claim, names) for kind, claim in CLAIMS.items()}

    def read(self, text):
        """Raises Mistake where the text does not say what the files do; returns the claims that it makes, in order."""
        self.best, self.rare, self.places, kinds, place = [], [], [], [], 0
        while place < len(text):
            if text[place] == ".":
                place += 1
                continue
            kind, match = self.next_claim(text, place)
            said = match.groupdict()
            self.known(kind, said.pop("K", None))
            getattr(self, kind)(**said)
            kinds.append(kind)
            self.places += [match.span()] + [match.span(part) for part in OPTIONAL if said.get(part)]
            place = match.end()
        check(kinds == self.expected(), "this is not what is to be said", kinds, self.expected())
        return kinds

    def next_claim(self, text, place):
        found = [(kind, match) for kind, pattern in self.patterns.items() if (match := pattern.match(text, place))]
        check(found, "this is no claim", text[place:])
        kind, match = max(found, key=lambda one: one[1].end())
        check(match.end() > place and text[match.end():][:1] in (*".;,",), "this is left over", text[match.end():])
        return kind, match

    # Claims about one strategy share these checks.

    def one(self, name):
        return self.facts.strategies[name]

    def goal(self, shown_goal):
        check(self.facts.target is not None and f"{100 * self.facts.target:.4g}" == shown_goal, "target", shown_goal)

    def within(self, count):
        check(count == f"{self.facts.rounds:,}", "rounds", count)

    def costs(self, one, **said):
        """Checks the numbers of arrivals that a claim has: T, E, R."""
        time, energy = one.costs(self.facts.target)
        is_bound = one.reached(self.facts.target) < len(one.runs)
        for key, value in (("T", time), ("E", energy)):
            if key in said:
                check(said[key] == shown(value), "cost", one.name, key, said[key], value)
                check((said[key + "_least"] is not None) == is_bound, "at least", one.name)
        if "R" in said:
            check((said["R"] is not None) == is_bound, "runs", one.name)
            if is_bound:
                check((int(said["R"]), int(said["R_all"])) == (one.reached(self.facts.target), len(one.runs)), "runs")

    def spent(self, one, time, energy):
        check((time, energy) == tuple(map(shown, one.spent)), "spent", one.name, time, energy, one.spent)

    def comes_to(self, one, accuracy, among=None):
        check(accuracy == f"{100 * one.accuracy:.1f}", "accuracy", one.name, accuracy)
        if among is not None:
            check(one is self.facts.furthest(among), "furthest", one.name)

    def over(self, one, X, X_all, O, O_ratio, O_beyond, O_sum, mean, **_):
        check(X == shown(one.over) and X_all == f"{one.devices:,}", "devices over", one.name, X, X_all)
        check((mean is not None) == (len(one.runs) > 1), "on average", one.name)
        check((O_ratio is None) == math.isinf(one.worst), "a budget of 0 J", one.name)
        check(O_ratio is None or O_ratio == ratio_shown(one.worst), "worst", one.name, O_ratio, one.worst)
        check(O_beyond == shown(one.beyond_j), "beyond", one.name, O_beyond, one.beyond_j)
        is_alone = len(one.runs) == 1 and one.over == 1
        check((O_sum is None) == is_alone, O_sum)
        check(O == ("it" if is_alone else "the worst"), O)

    def known(self, kind, words):
        """Where budgets of some are not known, others are known to keep theirs."""
        keep = ("keeps", "is known to keep") if kind == "only_keeper" else ("keep", "are known to keep")
        check(words in (None, keep[not self.facts.is_all_known]), "known", words)

    def call_best(self, one):
        self.best.append(one)

    # Each claim has a method of its name.

    def first(self, N, G, about, **said):
        one, racers = self.one(N), self.facts.racers(self.facts.all)
        self.goal(G)
        self.costs(one, **said)
        check(len(racers) > 1 and one is self.facts.least(racers, 0), "first", N)
        self.equals(one, racers, about or "")
        self.call_best(one)

    def first_and_thrifty(self, N, **said):
        self.first(N, **said)
        check(self.one(N) is self.facts.least(self.facts.racers(self.facts.all), 1), "thriftiest", N)

    def equals(self, first, racers, text):
        """Checks " (b, 108 s, and c, 110 s, are about as fast; c breaks energy budgets)"."""
        equal = [one for one in racers if one is not first and self.facts.is_about_as_fast(one, first)]
        named = equal if len(equal) <= 3 else equal[:2]
        words = [f"{one.name}, {'at least ' if one.reached(self.facts.target) < len(one.runs) else ''}"
                 f"{shown(one.costs(self.facts.target)[0])} s," for one in named]
        if len(equal) > 3:
            words.append(f"{len(equal) - 2} others")
        words[:-2] = [word.rstrip(",") for word in words[:-2]]
        breakers = [one.name for one in named if one.breaks]
        expected = ""
        if equal:
            expected = f" ({self.joined(words)} {'is' if len(equal) == 1 else 'are'} about as fast"
            if breakers:
                expected += f"; {self.joined(breakers)} break{'s' if len(breakers) == 1 else ''} energy budgets"
            expected += ")"
        check(text == expected, "about as fast", text, expected)

    @staticmethod
    def joined(words):
        return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))

    def reaches(self, N, G, rank, **said):
        one, arrived = self.one(N), [one for one in self.facts.all if one.reached(self.facts.target)]
        self.goal(G)
        self.costs(one, **said)
        check(self.facts.racers(self.facts.all) == [one], "most reliable", N)
        if rank is None:
            check(self.facts.all == [one], "alone", N)
        else:
            check(("only" in rank) == (arrived == [one]), rank)
        self.call_best(one)

    def thrifty(self, N, **said):
        one = self.one(N)
        self.costs(one, **said)
        check(one is self.facts.least(self.facts.racers(self.facts.all), 1), "thriftiest", N)
        self.call_best(one)

    def seldom(self, N, **said):
        one = self.one(N)
        self.costs(one, **said)
        self.rare.append(one)
        check(self.rare == self.facts.seldom()[:len(self.rare)], "seldom", N)

    def more(self, count):
        check(int(count) == len(self.facts.seldom()) - len(self.rare), "more", count)

    def late(self, names, W, costs):
        self.within(W)
        late = [one for one in self.facts.all if not one.reached(self.facts.target)]
        named = late if len(late) <= 4 else late[:3]
        words = [one.name for one in named] + ([f"{len(late) - 3} others"] if len(late) > 4 else [])
        check(names == self.joined(words), "late", names)
        spent = [" and ".join((f"{shown(one.spent[0])} s", f"{shown(one.spent[1])} J")) for one in named]
        expected = ("it " + spent[0] if len(late) == 1 else
                    ", ".join(f"{one.name} {cost}" for one, cost in zip(named, spent)))
        check(costs == expected, "costs of the late", costs, expected)

    def furthest(self, N, W, P, T, E, **_):
        one = self.one(N)
        self.within(W)
        self.spent(one, T, E)
        self.comes_to(one, P, self.facts.all)
        check(self.facts.target is None, "somebody reached a target")
        self.call_best(one)

    def none(self, G, **said):
        check(f"{100 * self.facts.targets[0]:.4g}" == G, "lowest target", G)
        self.furthest(**said)

    def alone(self, **said):
        check(len(self.facts.all) == 1 and not self.facts.targets, "alone")
        self.furthest(**said)

    def misses(self, **said):
        check(len(self.facts.all) == 1, "alone")
        self.none(**said)

    def keeps(self):
        check(self.best and self.best[-1].keeps, "keeps budgets")

    def breaks(self, whose, X_devices, **said):
        check(self.best and self.best[-1].breaks, "breaks budgets")
        one = self.best[-1]
        self.over(one, **said)
        check(X_devices == (" device" if one.devices == 1 else " devices"), X_devices)
        check(("its" in whose) == (len(one.runs) == 1 and one.over == 1), whose)

    def no_keeper(self, N, N2, numbers, **said):
        check(self.facts.is_all_known and not self.facts.keepers, "somebody may keep budgets")
        one, (fewest, named) = self.one(N or N2), self.facts.fewest_over()
        check(one is named and (N is not None) == (len(fewest) == 1), "fewest", one.name)
        check((numbers is None) == (one in self.best), "said before", one.name)
        if numbers is not None:
            self.over(one, **said)

    def only_keeper(self, N, G, G2, P, P2, W, T2, E2, **said):
        one = self.one(N)
        check(self.facts.keepers == [one], "only keeper", N)
        if G is not None:
            self.goal(G)
            check(one.reached(self.facts.target) > 0, "reaches it", N)
            self.costs(one, **said)
        elif G2 is not None:
            self.goal(G2)
            self.within(W)
            check(one.reached(self.facts.target) == 0, "does not reach it", N)
            self.comes_to(one, P)
        else:
            check(self.facts.target is None, "somebody reached a target")
            self.comes_to(one, P2)
            self.spent(one, T2, E2)

    def keeper_first(self, N, about, N2=None, E2=None, E2_least=None, T2=None, T2_least=None, **said):
        one, racers = self.one(N), self.facts.racers(self.facts.keepers)
        self.costs(one, **said)
        check(len(racers) > 1 and one is self.facts.least(racers, 0), "first that keeps budgets", N)
        self.equals(one, racers, about or "")
        if N2 is not None:
            thrifty = self.one(N2)
            check(thrifty is self.facts.least(racers, 1), "thriftiest that keeps budgets", N2)
            self.costs(thrifty, T=T2, T_least=T2_least, E=E2, E_least=E2_least)

    def keeper_first_and_thrifty(self, N, **said):
        self.keeper_first(N, **said)
        check(self.one(N) is self.facts.least(self.facts.racers(self.facts.keepers), 1), "thriftiest", N)

    def keeper_alone(self, N, N2, G, G2, **said):
        one = self.one(N or N2)
        self.goal(G or G2)
        self.costs(one, **said)
        arrived = [other for other in self.facts.keepers if other.reached(self.facts.target)]
        check(len(self.facts.keepers) > 1 and self.facts.racers(self.facts.keepers) == [one], "most reliable", one.name)
        check((N is not None) == (arrived == [one]), "only", one.name)

    def keeper_late(self, G, W, N, P):
        self.goal(G)
        self.within(W)
        check(len(self.facts.keepers) > 1 and not any(one.reached(self.facts.target) for one in self.facts.keepers), "late")
        self.comes_to(self.one(N), P, self.facts.keepers)

    def keeper_furthest(self, N, P, T, E, **_):
        check(self.facts.target is None and len(self.facts.keepers) > 1, "somebody reached a target")
        self.comes_to(self.one(N), P, self.facts.keepers)
        self.spent(self.one(N), T, E)

    def beyond(self, G, W):
        check(f"{100 * self.facts.targets[-1]:.4g}" == G and self.facts.target < self.facts.targets[-1], "highest", G)
        self.within(W)

    def times(self, booked, means):
        check(booked == self.facts.booked, "booked", booked)
        check((means is not None) == (len(self.facts.all[0].runs) > 1), "means")

    # What is to be said, claim after claim.

    def expected(self):
        if not any(run.participants for one in self.facts.all for run in one.runs):
            return ["nobody"]
        facts, head, best = self.facts, self.head(), self.facts.best()
        kinds = [head] + self.budgets(best[0])
        if head == "first":
            kinds += ["thrifty"] + self.budgets(best[1])
        if facts.target is not None:
            kinds += ["seldom"] * min(3, len(facts.seldom())) + ["more"] * (len(facts.seldom()) > 3)
            kinds += ["late"] * any(not one.reached(facts.target) for one in facts.all)
        if len(facts.all) > 1 and any(one.breaks for one in best):
            kinds += self.second()
        if facts.target is not None and facts.target < facts.targets[-1]:
            kinds.append("beyond")
        return kinds + ["times"]

    def nobody(self):
        check(not any(run.participants for one in self.facts.all for run in one.runs), "somebody took part")

    def head(self):
        """Who is called the best of all."""
        if self.facts.target is not None:
            kind = self.race(self.facts.all)
            return "reaches" if kind == "alone" else kind
        if len(self.facts.all) == 1:
            return "misses" if self.facts.targets else "alone"
        return "none" if self.facts.targets else "furthest"

    def second(self):
        """Who is called the best of those that keep budgets, where the best of all does not."""
        keepers = self.facts.keepers
        if len(keepers) == 1:
            return ["only_keeper"]
        if not keepers:
            return ["no_keeper"] * self.facts.is_all_known
        if self.facts.target is None:
            return ["keeper_furthest"]
        return ["keeper_" + self.race(keepers)]

    def race(self, among):
        racers = self.facts.racers(among)
        if len(racers) < 2:
            return "alone" if racers else "late"
        return "first_and_thrifty" if self.facts.least(racers, 0) is self.facts.least(racers, 1) else "first"

    @staticmethod
    def budgets(one):
        return ["keeps"] * one.keeps + ["breaks"] * one.breaks
