"""The member's side of the protocol: check, answer, and keep a copy of everything signed.

Every request must be signed by the operator of the terms that lie in the member's own directory,
for this member and this season, or an earlier one in which something was decided since. Asked the
same again, a member answers the same; asked something that cannot come now, or differently from
before, it refuses. Every request names the head of the ledger, signed by the operator, and ledgers
only grow: a request that was sent before what the member has seen is refused too.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.content import distinct
from ...data.member_data import load_site
from ...errors import InputError
from ...io.files import log_line
from ...mechanism.population import MOST_SIZE
from ..agreement.contract import Contract, Enrolment, contract_of, declining, wanted_samples
from ..agreement.delivery import Attestation, leaving
from ..agreement.draw import commitment
from ..agreement.terms import Published
from ..wire.canonical import decimal, digest
from ..wire.document import FORMAT
from ..wire.keys import Key, is_signed
from ..wire.ledger_head import LedgerHead
from ..wire.message import OPERATOR, Message, read_message, write_message
from ..wire.transport import Handler
from .after_training import AfterTraining, Replied, Reply
from .config import MemberConfig, read_member_config
from .files import MemberFiles, Opened, seasons_kept
from .own_rounds import LastRound, OwnRound
from .rationality import objection
from .restarting import check_restart, let_go, newest_shown, read_restart, too_far

if TYPE_CHECKING:
    from ...training.site.site import Site

CONFIG, LOG = "member.toml", "member.log"
OF_CONSORTIUM = ("shown", "restart")
"""Requests about the ledger, whatever season it is."""

IN_TIME = 0.5
"""An answer that took this part of the deadline at most was surely in time."""


class Member:
    """One member: `handle` is all that the outside sees of it."""

    def __init__(
        self,
        directory: Path,
        config: MemberConfig,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.config, self._note = config, note
        self.files, self._directory = MemberFiles(directory), directory
        self.published = published = self.files.published()
        self._federation, self._terms = published.hash(), published.terms()
        self._plan = published.plan()
        self._one_at_a_time = threading.Lock()
        self._named: Key | None = None
        self._answers: dict[str, Reply] = {
            "enrol": self._enrol,
            "agree": self._agree,
            "open": self._open,
            "round": self._round,
            **AfterTraining(self.files, published, config.name, note).answers,
            "shown": self._shown,
            "restart": self._restart,
        }
        self._most_body, self._earlier = self._plan.size(), dict[str, dict[str, Reply]]()
        for season in seasons_kept(directory)[:-1]:
            files = MemberFiles(directory, season)
            terms = files.published()
            self._earlier[terms.hash()] = AfterTraining(files, terms, config.name, note).answers
            self._most_body = max(self._most_body, terms.plan().size())

    def handle(self, kind: str, request: bytes) -> bytes:
        """Answer the operator, or refuse; the reason stays in the member's own log."""
        with self._one_at_a_time:
            try:
                return self._handle(kind, request)
            except InputError as error:
                self._note(f"refused a request ({kind[:40]}): {error}")
                raise

    def _handle(self, kind: str, request: bytes) -> bytes:
        if kind not in self._answers:
            raise InputError(f"a request of unknown kind {kind[:40]!r}")
        message = read_message(request, self._most_body)
        season = message.head.federation if message.head.federation in self._earlier else None
        of_consortium = kind in OF_CONSORTIUM
        message.check(
            federation=self.published.consortium if of_consortium else season or self._federation,
            kind=kind,
            sender=OPERATOR,
            to=self.config.name,
            public=self.published.operator,
        )
        if kind == "round" and (last := self.files.last_round()) and last.request == message.hash:
            return last.reply
        answers = self._answers if season is None else self._earlier[season]
        if kind not in answers:
            raise InputError(f"a request ({kind}) about a season that is over")
        if not of_consortium:
            self._see(message.head.content.get("ledger"))
        if (named := message.head.content.get("key")) is not None:
            self._named = self.files.keys.expected(str(named))
        try:
            return self._answer(kind, message, answers[kind])
        except BaseException:
            self.__dict__.pop("_site", None)  # it may have gone further than what is kept
            raise

    def _answer(self, kind: str, message: Message, answer: Reply) -> bytes:
        start = time.monotonic()
        content, body = answer(message)
        reply = write_message(
            self._key,
            federation=message.head.federation,
            kind=kind,
            sender=self.config.name,
            to=OPERATOR,
            answers=message.hash,
            content=content,
            body=body,
        )
        if kind == "round" and body:
            number, used = content["round"], content["used"]
            late = time.monotonic() - start > self.published.conduct.round_seconds * IN_TIME
            own = OwnRound(round=number, used=used, late=late)
            self.files.keep_round(LastRound(message.hash, own, reply, self._site.state()))
            self._note(f"round {number}: {used} of {content['samples']} samples used")
        return reply

    @property
    def _key(self) -> Key:
        """The key that the ledger has of this member, by the last request."""
        return self._named or self.files.key

    def _see(self, said: Any) -> None:
        """Keep the head of the ledger that a request names; it never goes back or changes."""
        head, seen = LedgerHead.take(said), self._seen
        if not head.is_by(self.published.operator, self.published.consortium):
            raise InputError("a head of the ledger that the operator did not sign")
        if seen is not None and head.number < seen.number:
            raise InputError("a request from before the last one: out of order")
        if seen is not None and not head.agrees_with(seen):
            raise InputError(f"entry {seen.number} of the ledger is another than was shown before")
        self.files.see_head(head)
        self._seen = head

    @cached_property
    def _seen(self) -> LedgerHead | None:
        """The last head that it was shown."""
        return max(self.files.followed(), key=lambda head: head.number, default=None)

    @cached_property
    def _samples(self) -> Any:
        samples = load_site(self.config.data, self._directory)
        self._plan.network_itself().check(samples)  # now, and not when a contract is signed
        return samples

    @cached_property
    def capacity(self) -> int:
        """Distinct samples it has, and lends."""
        there = len(distinct(self._samples))
        return there if self.config.most_samples is None else min(there, self.config.most_samples)

    @cached_property
    def _site(self) -> "Site":
        from ...training.site.site import Site  # here: who only reads its files needs no torch

        contract = self.files.contract()
        assert contract is not None
        plan, name, salt = self._plan, self.config.name, self.files.salt
        site = Site(plan, self._samples, name, contract.samples, salt)
        last = self.files.last_round()
        if last is not None:
            site.restore(last.state)
        return site

    def enrolment(self, size: int) -> Enrolment:
        """The enrolment that it sends, as a member of that size: its report and its key.

        It says how many samples it has if a contract might ask for more: the fewer take part, the
        more might be asked for.
        """
        wanted = wanted_samples(self.config.report, self._terms, size, size + 2)
        return Enrolment(
            member=self.config.name,
            key=self._key.public,
            reported_cost=decimal(self.config.report),
            capacity=self.capacity if self.capacity < wanted else None,
            nonce=commitment(self.files.nonce, self.config.name),
        )

    def _enrol(self, message: Message) -> Replied:
        offered = Published.take(message.head.content.get("terms"))
        if offered.hash() != self._federation:
            raise InputError("the operator offers other terms than those that lie here")
        size = message.head.content.get("size")
        if type(size) is not int or not 1 <= size <= MOST_SIZE:
            raise InputError("the operator names no size that could be")
        return self.enrolment(size).dump(), b""

    def _agree(self, message: Message) -> Replied:
        content = message.head.content
        contract = Contract.take(content.get("contract"))
        signature = str(content.get("signature"))
        if not is_signed(self.published.operator, "contract", contract.encoded(), signature):
            raise InputError("a contract that the operator did not sign")
        closed = self.files.opened() is not None or self.files.last_round() is not None
        if closed and contract != self.files.contract():
            raise InputError("another contract, after the roster was closed")
        among, S = replace(contract.standing, capacity=None), contract.others_samples
        signed_with = self.files.keys.find(contract.key).public  # it may have another since
        own = self.enrolment(contract.size).model_copy(update={"key": signed_with})
        if contract != contract_of(own, self._terms, self._federation, among, S):
            raise InputError("a contract whose figures do not follow from the terms")
        short = self._plan.horizon * self._plan.recipe.batch < contract.samples
        why = (
            "the training is too short to use the agreed samples"
            if short
            else objection(
                contract,
                self._terms,
                true_cost=self.config.true_cost,
                own=self.config.own_curve(self._terms),
                capacity=self.capacity,
                most_fee=self.config.most_fee,
                size=self.config.size,
            )
        )
        if why is not None:
            self._note(f"declined the contract: {why}")
            return declining(why.partition(":")[0]), b""  # the figures stay here
        self.files.keep_contract(contract, signature)
        self.__dict__.pop("_site", None)
        self._site  # noqa: B018  (ready before there are deadlines to keep)
        money, fee = self._terms.money_unit.money, contract.fee
        expected = f"a fee of {money(fee)}" if fee >= 0 else f"{money(-fee)} paid to you"
        self._note(
            f"signed the contract: {contract.samples} samples, {expected} if all keep their word; "
            f"at most a fee of {money(contract.largest_fee)} and a charge of "
            f"{money(contract.largest_charge)}"
        )
        return {"contract": contract.hash()}, b""

    def _open(self, message: Message) -> Replied:
        roster, ledger = str(message.head.content.get("roster")), message.head.content["ledger"]
        if self.files.contract() is None:
            raise InputError("asked to open a nonce before a contract was signed")
        opened = Opened.take({"format": FORMAT, "roster": roster, "ledger": ledger["entry"]})
        if self.files.opened() not in (None, opened):
            raise InputError("asked to open the nonce a second time, for another draw")
        self.files.keep_opened(opened)
        shown = {"number": ledger["number"], "entry": ledger["entry"]}
        return {"nonce": self.files.nonce.hex(), "ledger": shown}, b""

    def _round(self, message: Message) -> Replied:
        if self.files.contract() is None:
            raise InputError("asked to train before a contract was signed")
        number, steps = message.head.content.get("round"), self._plan.recipe.local_steps
        last = self.files.last_round()
        if not isinstance(number, int) or not 1 <= number <= self._plan.rounds:
            raise InputError("asked for a round that the terms do not have")
        if self.files.is_leaving():
            self._note("left the federation, as the file leave asks for")
            return leaving(number), b""
        if message.head.content.get("steps") != steps:
            raise InputError("asked for other steps than the terms say")
        if last is not None and number == last.round:
            said = read_message(last.reply, self._plan.size())
            if said.head.content["start"] == digest(message.body):  # that round did not come about
                return said.head.content, said.body
        if last is not None and number <= last.round:
            raise InputError(f"asked for round {number} after round {last.round}: out of order")
        if self.files.opened() is not None:
            raise InputError("asked to train after the nonce was opened: out of order")
        model = self._site.update(message.body, steps)
        attestation = Attestation(
            round=number,
            start=digest(message.body),
            steps=steps,
            samples=self._site.samples,
            used=self._site.used,
            index=self._site.index_digest(),
        )
        return attestation.dump(), model

    def _shown(self, message: Message) -> Replied:
        """What it was shown of the ledger, for an operator that may have an older one."""
        return newest_shown(self.files, message.head.content.get("number")).dump(), b""

    def _restart(self, message: Message) -> Replied:
        """Follow an older ledger, if nothing is lost to it or its owner allows it."""
        content = message.head.content
        asked = read_restart(content, self.published)
        consent = check_restart(self.files, asked, self.published, content.get("proof"))
        if (rounds := too_far(self.files, consent)) is not None:
            self._site.go_back(rounds * self._plan.recipe.local_steps)
            let_go(self.files, consent, self._site.state())
        else:
            let_go(self.files, consent, None)
        for cached in ("_site", "_seen"):
            self.__dict__.pop(cached, None)
        if consent.lost is not None:
            lost, after = consent.lost.number, consent.after.number
            self._note(f"follows the ledger from entry {after} on, and lets go of up to {lost}")
        return consent.dump(), b""


def open_member(place: Path) -> Handler:
    """The member whose config this is, or lies in this directory, ready to be asked.

    What befalls it is told in its log, and nowhere else.
    """
    config = place / CONFIG if place.is_dir() else place
    directory = config.parent
    note = partial(log_line, directory / LOG)
    return Member(directory, read_member_config(config), note).handle
