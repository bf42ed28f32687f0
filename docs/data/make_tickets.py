"""Write `tickets.csv` and `new-tickets.csv`, the example tables of the documentation.

The tickets are those of a made-up shop for kitchen machines. They are put together from cases, each with several
titles and sentences, so the same script with the same seed writes the same bytes. Some problems are put in on purpose,
as real tables have them: labels in several spellings, wrong labels, missing labels, exact and near copies, typing
errors, and tickets that mention two matters.

Run it in the folder of the repository: `python docs/data/make_tickets.py`
"""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass, replace
from pathlib import Path

FOLDER = Path(__file__).parent
SEED = 26
TICKETS = {"delivery": 122, "billing": 112, "technical": 98, "returns": 84, "account": 68, "product": 46}
NEW_TICKETS = {"delivery": 6, "billing": 5, "technical": 5, "returns": 4, "account": 3, "product": 1}
TWO_MATTERS = 0.22
"""Share of the tickets that also have a sentence from another section."""
TYPING_ERRORS = 0.18
"""Share of the tickets with a typing error."""
VAGUE = 0.2
"""Share of the tickets whose title says nothing about the matter."""
WRONG_LABELS = 14
MISSING_LABELS = 9
EXACT_COPIES = 8
NEAR_COPIES = 9
SPELLINGS = {"billing": ["Billing ", "BILLING"], "delivery": ["Delivery"], "technical": ["Technical"]}
OTHER_SPELLING = 0.16
"""Share of the labels of these classes that are written in another way."""


@dataclass(frozen=True)
class Ticket:
    title: str
    description: str
    section: str

    def text(self) -> tuple[str, str]:
        return self.title, self.description


@dataclass(frozen=True)
class Case:
    """One matter: titles, sentences that open the description, and sentences that go on."""

    titles: tuple[str, ...]
    openings: tuple[str, ...]
    details: tuple[str, ...]


def case(titles: str, openings: str, details: str) -> Case:
    """Return the case of which each part is cut at the bars."""
    parts = [tuple(part.strip() for part in text.split("|")) for text in (titles, openings, details)]
    return Case(*parts)


CASES = {
    "delivery": [
        case(
            "Where is my parcel? | Order {order} has not arrived | Parcel is late | Still waiting for my order",
            "I ordered a {product} on {date} and it has not arrived yet. | My {product} should have been here {ago}. "
            "| Order {order} was promised for {weekday} and nothing came.",
            "The tracking page has said the same thing for {days} days. | Tracking stopped in {city} {ago}. "
            "| Could you ask {courier} where the parcel is? | When will it be here?",
        ),
        case(
            "Tracking does not move | Tracking number unknown | No tracking link",
            "The tracking number in the e-mail is unknown to {courier}. | The tracking link has shown 'label created' "
            "for {days} days. | I never got a tracking number for order {order}.",
            "Has the parcel left your warehouse at all? | Please send me a link that works. "
            "| {courier} told me to ask the sender.",
        ),
        case(
            "Delivered, but not here | Parcel marked as delivered | Neighbour did not get the parcel",
            "{courier} says that the parcel was delivered {ago}, but I have nothing. "
            "| The status is 'delivered' since {weekday}, and there is no parcel at my door.",
            "I asked all neighbours. | The signature on the note is not mine. | Nobody was at home on {weekday}. "
            "| Perhaps the driver left it at the wrong house.",
        ),
        case(
            "Change of delivery address | Wrong address on order {order} | Can you send it somewhere else?",
            "I gave the wrong street for order {order}. | I am moving to {city} before the parcel arrives. "
            "| Please deliver order {order} to my office instead.",
            "Can the address still be changed before it is shipped? | {courier} says that only you can redirect it. "
            "| The postcode is missing a digit.",
        ),
        case(
            "Parcel damaged on the way | Box crushed | Parcel arrived open",
            "The box was crushed when the driver handed it over. | The parcel with the {product} arrived wet and open.",
            "The driver wrote it on the delivery note. | I refused the parcel, so {courier} has it again. "
            "| I have photos of the outer box.",
        ),
        case(
            "Only half of the order came | Part of order {order} is missing | Second parcel?",
            "Order {order} had two parcels and only one was delivered. | The {product} came, but the {part} is not in "
            "the parcel.",
            "Is the rest in a second shipment? | The delivery note lists everything. | Please ship what is missing.",
        ),
        case(
            "Express delivery was slow | Express order late",
            "I chose express delivery and waited {days} days. | Express was meant to arrive on {weekday}, it is {days} "
            "days late.",
            "The {product} was a birthday present. | I expect the shipping to be faster than normal post.",
        ),
        case(
            "Do you ship to {country}? | Shipping to {country} | Delivery abroad",
            "Can order {order} be shipped to {country}? | Do you deliver to {country}, and how long does it take?",
            "A friend in {city} could receive the parcel. | Is there customs paperwork? | Which courier do you use "
            "there?",
        ),
        case(
            "Driver did not ring | Missed delivery | New delivery date",
            "The driver left a card although I was at home. | {courier} tried to deliver on {weekday} when nobody was "
            "in.",
            "Please arrange a new date. | The pick-up point in {city} is too far away. | They will send it back in "
            "{days} "
            "days if nobody collects it.",
        ),
    ],
    "billing": [
        case(
            "Charged twice | Double charge for order {order} | Two payments taken | Paid two times",
            "My {card} was charged twice for order {order}. | I see two payments of {amount} on my statement. "
            "| You took {amount} on {date} and again {ago}.",
            "Please refund one of them. | My bank says that both payments are booked. | There is only one order.",
        ),
        case(
            "Invoice missing | Need an invoice | Invoice for order {order} | Where do I find the bill?",
            "I need an invoice for order {order}. | There was no invoice in the e-mail or in the box. "
            "| Our accounting needs the invoice of {month}.",
            "It must show the VAT number of my company. | A PDF is fine. | The total was {amount}.",
        ),
        case(
            "Wrong name on the invoice | VAT number on invoice | Please correct the invoice",
            "The invoice of order {order} has the wrong company name. | The VAT number on the bill is not ours.",
            "The tax office does not accept it like this. | Please issue a corrected invoice. | The amount of "
            "{amount} is "
            "right.",
        ),
        case(
            "Payment declined | My {card} is not accepted | Cannot pay",
            "My {card} is declined at checkout. | The payment of {amount} fails every time. "
            "| I get 'payment refused' when I try to pay order {order}.",
            "My bank says that the card is fine. | I tried another card with the same result. | Is there another way "
            "to "
            "pay?",
        ),
        case(
            "Refund has not arrived | Where is my money? | Still no refund",
            "You promised a refund of {amount} {ago}, and it is not on my account. "
            "| My bank has not booked the refund for order {order}.",
            "How long does a refund to a {card} take? | The credit note is dated {date}. | Please check whether the "
            "money "
            "was paid out.",
        ),
        case(
            "Voucher code does not work | Discount not applied | Voucher",
            "The discount code was not taken off the total. | My voucher of {amount} is refused at checkout. "
            "| I forgot to enter the voucher when I paid.",
            "The code is valid until the end of {month}. | Can you deduct it from the bill? | The newsletter promised "
            "ten "
            "percent.",
        ),
        case(
            "Subscription charged again | Cancel the coffee subscription | Monthly charge",
            "I cancelled the coffee subscription and was charged {amount} again. "
            "| There is a monthly payment of {amount} that I did not agree to.",
            "Please stop the payments. | The charge was on {date}. | I want the money for {month} back.",
        ),
        case(
            "Price is different | Wrong price on the bill | Overcharged",
            "The price on the invoice is {amount} higher than in the shop. | I was billed {amount} for a {product} "
            "that "
            "was on offer.",
            "I have a screenshot of the price. | Shipping was meant to be free. | Please correct the bill.",
        ),
        case(
            "Payment by bank transfer | Pay by instalments? | Reminder although I paid",
            "I got a payment reminder although I transferred {amount} on {date}. | I paid order {order} by bank "
            "transfer "
            "and it is still open.",
            "The reference was the order number. | Please stop the reminders. | There is a late fee on it now.",
        ),
    ],
    "technical": [
        case(
            "{product_title} does not switch on | {product_title} is dead | No power",
            "My {product} does not switch on any more. | The {product} stopped in the middle of use and stays dark.",
            "I tried another socket. | The fuse is fine. | The light blinks {days} times, then nothing. "
            "| It worked for {months} months.",
        ),
        case(
            "{product_title} leaks | Water under the {product} | Leaking",
            "The {product} leaks water from the bottom. | There is water under the {product} after each use.",
            "The seal looks fine. | It is worse with hot water. | I already cleaned the {part} and put it in again.",
        ),
        case(
            "Error {code} | Error {code} on the display | What does error {code} mean?",
            "The display of my {product} shows error {code}. | My {product} stops with error {code} after {seconds} "
            "seconds.",
            "The manual does not mention it. | I switched it off and on again. | Descaling did not help.",
        ),
        case(
            "App does not find the machine | No Wi-Fi connection | Bluetooth pairing fails",
            "The app does not find my {product}. | The {product} loses the Wi-Fi connection every few minutes. "
            "| Pairing by Bluetooth stops at {percent} percent.",
            "My phone is a few years old, but other devices connect. | I restarted the router. | It is the newest "
            "version "
            "of the app.",
        ),
        case(
            "App crashes | App closes after the update | Blank screen in the app",
            "Since the last update the app crashes when I open a recipe. | The app shows a blank screen after the "
            "start.",
            "I installed it again, no change. | It started on {date}. | On my tablet it works.",
        ),
        case(
            "Loud noise | {product_title} is very loud | Grinding noise",
            "My {product} makes a loud grinding noise. | There is a strange noise from the motor of the {product}.",
            "It smells of burnt plastic, too. | It got worse over {days} days. | Nothing is stuck in the {part}.",
        ),
        case(
            "Firmware update fails | Update stuck | Machine stuck in update mode",
            "The firmware update of the {product} stops at {percent} percent. | After the update my {product} does not "
            "react to any button.",
            "I left it on overnight. | Is there a way to reset the machine? | The app says that the update failed.",
        ),
        case(
            "Does not get hot | Temperature is wrong | Coffee is cold",
            "The {product} does not get hot enough. | The temperature is {percent} degrees too low, whatever I set.",
            "I descaled it {ago}. | The display says that it is ready. | It heats for {seconds} seconds and stops.",
        ),
        case(
            "How do I descale it? | Descaling light stays on | Cleaning program",
            "The descaling light of my {product} stays on. | The cleaning program of the {product} never ends.",
            "I followed the manual. | I used the tablets that you sell. | Holding both buttons did nothing.",
        ),
    ],
    "returns": [
        case(
            "I want to return the {product} | Return of order {order} | Return",
            "I would like to return the {product} from order {order}. | The {product} is not what I expected, and I "
            "want "
            "to send it back.",
            "It is unused and in the original packaging. | Please send me a return label. | The {days} days are not "
            "over "
            "yet.",
        ),
        case(
            "Return label | No return label in the box | Return label expired",
            "There was no return label in the box. | The return label for order {order} has expired. "
            "| The shop cannot scan the return label.",
            "I have no printer, is there a QR code? | Where do I hand in the return? | Who pays for the return?",
        ),
        case(
            "Wrong item | I got a {other} | Wrong {product} sent",
            "I ordered a {product} and got a {other}. | The {product} in the box has the wrong colour.",
            "I would like to exchange it. | Please send the right one and collect this one. | I have not opened it.",
        ),
        case(
            "Exchange for another colour | Can I exchange it? | Exchange",
            "Can I exchange the {product} for a {other}? | I would like the same {product} in {colour}.",
            "I will pay the difference. | It has not been used. | Do I send it back first?",
        ),
        case(
            "Arrived broken, want to send it back | {product_title} broken on arrival | Scratched {product}",
            "The {product} was broken when I unpacked it. | The new {product} has a scratch and looks used.",
            "I would rather return it than have it repaired. | Please replace it. | I have photos of the {part}.",
        ),
        case(
            "Did my return arrive? | Return sent {ago} | Status of my return",
            "I sent the {product} back {ago} and have heard nothing. | Has my return for order {order} reached your "
            "warehouse?",
            "I still have the receipt of the post office. | The return was accepted in {city}. | Please confirm that "
            "you "
            "have it.",
        ),
        case(
            "Cancel order {order} | Cancel before it is sent | I changed my mind",
            "Please cancel order {order}. | I ordered the {product} by mistake and want to cancel.",
            "It has not been sent yet. | I ordered a {other} instead. | If it is too late I will refuse it and send it "
            "back.",
        ),
        case(
            "Return after {days} days? | Return period | Present that is not wanted",
            "The {product} was a present, can it still be returned? | How long is the return period for a {product}?",
            "There is no receipt. | It was bought in {month}. | It was opened, but never used.",
        ),
    ],
    "account": [
        case(
            "Cannot log in | Login does not work | Locked out",
            "I cannot log in to my account any more. | The login page says that my password is wrong. "
            "| My account is locked after {days} attempts.",
            "I am sure that the password is right. | It worked {ago}. | It is the same on my phone.",
        ),
        case(
            "Password reset | No reset e-mail | Reset link expired",
            "I asked for a new password and no e-mail came. | The link to reset my password has expired. "
            "| I forgot my password.",
            "It is not in the spam folder. | I tried it {days} times. | Please send the link again.",
        ),
        case(
            "Change my e-mail address | New e-mail | Change of name",
            "Please change the e-mail address of my account. | I have a new name since {month} and want to change it "
            "in my "
            "profile.",
            "I have no access to the old mailbox. | The profile page does not let me edit it. | All my orders should "
            "stay.",
        ),
        case(
            "Delete my account | Please delete my data | Close account",
            "Please delete my account and all personal data. | I want to close my customer account.",
            "Please confirm it in writing. | I have not used it since {month}. | I have no open orders.",
        ),
        case(
            "Two accounts | Merge my accounts | Registered twice",
            "I have two accounts with different e-mail addresses. | I registered twice by mistake.",
            "Can you merge them? | The bonus points are in the old one. | Please keep the one with the orders.",
        ),
        case(
            "Verification code | Two-factor login | No SMS code",
            "The verification code never arrives on my phone. | I have a new phone number and cannot confirm the "
            "login.",
            "The backup codes are lost. | I waited for {seconds} seconds. | Please switch off the second step.",
        ),
        case(
            "Newsletter | Unsubscribe | Too many e-mails",
            "I unsubscribed from the newsletter and still get it. | How do I switch off the e-mails in my profile?",
            "The last one came {ago}. | The link to unsubscribe asks for a login. | I only want mails about my orders.",
        ),
        case(
            "Strange login | Somebody uses my account | Hacked?",
            "I got a mail about a login from {city}, which was not me. | Somebody changed the password of my account.",
            "Please lock the account for now. | I have the same password elsewhere. | There is an order that I did not "
            "place.",
        ),
    ],
    "product": [
        case(
            "Is the {product} in stock? | Back in stock? | When is the {product} available?",
            "When will the {product} in {colour} be available again? | Is the {product} in stock?",
            "The page says 'soon'. | I would order it today. | Could you tell me when it is back?",
        ),
        case(
            "{product_title} or {other}? | Which one do you recommend? | Difference between two models",
            "What is the difference between the {product} and the {other}? | Which {product} do you recommend for a "
            "small "
            "kitchen?",
            "We are four people. | It should be easy to clean. | Does it have a timer?",
        ),
        case(
            "Spare part for the {product} | Looking for a {part} | Does the {part} fit?",
            "Do you sell the {part} of the {product} on its own? | Does the new {part} fit the older {product}?",
            "I did not find it in the shop. | The model is from last year. | I would need two of them.",
        ),
        case(
            "Size of the {product} | How many watts? | Question before I buy",
            "How tall is the {product}? | How many watts does the {product} need? | Is the {product} made of steel or "
            "plastic?",
            "It has to fit under a shelf. | The description does not say. | Is the {part} safe in the dishwasher?",
        ),
        case(
            "How long is the warranty? | Warranty",
            "How long is the warranty of the {product}? | Does the warranty cover the {part}?",
            "I am thinking of buying it for a café. | Can it be extended?",
        ),
    ],
}

VAGUE_TITLES = ("Question", "Problem", "Help", "Order {order}", "My {product}", "Complaint", "Order {order}, {product}")
UNUSUAL = [
    Ticket(
        "Money back?",
        "The juicer went back to you in March and the warehouse confirmed it. When do I see my 89 euros?",
        "billing",
    ),
    Ticket(
        "Milk everywhere",
        "Since this morning it spits the foam all over the worktop instead of into the cup.",
        "technical",
    ),
    Ticket("Wo bleibt meine Bestellung?", "Guten Tag, ich warte seit zwei Wochen auf den Wasserkocher.", "delivery"),
    Ticket("?", "See the attached photo.", "product"),
    Ticket(
        "Present for my mother",
        "Could the toaster be wrapped and sent straight to her in Turku, without the bill in the box?",
        "delivery",
    ),
    Ticket("Points", "I had 340 bonus points before the new website and now it shows none.", "account"),
]
"""New tickets that are unlike all others."""
GREETINGS = ("Hello,", "Hi,", "Hi there,", "Good morning,", "Dear team,", "Hello support,", "", "", "", "", "")
CLOSINGS = (
    "Thanks!",
    "Thank you.",
    "Kind regards",
    "Please help.",
    "Best wishes",
    "Thanks for a quick answer.",
    "I am a customer since {year}.",
    "This is my second message.",
    "I called, but nobody answered.",
    "",
    "",
    "",
    "",
    "",
)
ASIDES = {
    "delivery": "The delivery was quick, by the way. | {courier} brought it on {weekday}. | The parcel came {ago}.",
    "billing": "I paid {amount} by {card}. | The invoice says {amount}. | Payment went through at once.",
    "technical": "The app works fine. | My old {product} still runs. | The display is fine.",
    "returns": "I do not want to send it back. | Last time I returned a {other}. | If not, I will return it.",
    "account": "I can see the order in my account. | I am logged in with my normal e-mail. | My password was changed "
    "{ago}.",
    "product": "I also have a {other}. | It is the {product} in {colour}. | Is the {product} still in the shop?",
}
WORDS = {
    "product": "coffee machine|espresso machine|kettle|blender|toaster|coffee grinder|hand mixer|rice cooker|milk "
    "frother"
    "|food processor|waffle iron|juicer|slow cooker",
    "part": "lid|water tank|drip tray|filter holder|seal|power cable|glass jug|blade|measuring cup|brewing unit",
    "colour": "red|black|white|blue|steel grey|green|cream",
    "courier": "ParcelFox|the courier|Northpost|the delivery company|Quickvan",
    "city": "Leeds|Ghent|Porto|Graz|Aarhus|Lyon|Bologna|Utrecht|Cork|Turku",
    "country": "Norway|Switzerland|Ireland|Portugal|Iceland|Malta",
    "card": "credit card|debit card|card|bank card",
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday",
    "month": "January|February|March|April|May|June|July|September|October|November",
    "ago": "yesterday|last week|three days ago|two weeks ago|on Monday|ten days ago|a month ago",
    "code": "E02|E05|E11|E14|E21|F3|F7",
}
RE_TITLES = ("Re: {title}", "{title} (again)", "{title} - reminder", "AW: {title}")
REMINDERS = ("Any news?", "I still wait for an answer.", "Please answer.", "Second try.", "Nobody has answered so far.")


def fill(text: str, chance: random.Random) -> str:
    """Return a text with words and numbers in its gaps."""
    product, other = chance.sample(WORDS["product"].split("|"), 2)
    gaps: dict[str, str | int] = {name: chance.choice(words.split("|")) for name, words in WORDS.items()}
    gaps |= {"product": product, "other": other, "product_title": product.capitalize()}
    gaps |= {
        "order": chance.randrange(104000, 119000),
        "days": chance.randrange(3, 15),
        "year": 2000 + chance.randrange(9, 25),
    }
    gaps |= {"months": chance.randrange(2, 20), "seconds": chance.choice([10, 20, 30, 45, 60, 90])}
    gaps |= {
        "percent": chance.choice([10, 12, 15, 20, 30, 62, 80, 99]),
        "date": f"{chance.randrange(1, 29)} {gaps['month']}",
    }
    gaps |= {"amount": f"{chance.randrange(4, 290)}.{chance.choice(['00', '50', '90', '95', '99'])} euros"}
    return text.format(**gaps)


def mistyped(text: str, chance: random.Random) -> str:
    """Return a text in which two letters of a long word have changed places, or one is missing."""
    words = text.split(" ")
    numbers = [number for number, word in enumerate(words) if word.isalpha() and len(word) > 5]
    if not numbers:
        return text
    number = chance.choice(numbers)
    word, place = words[number], chance.randrange(1, len(words[number]) - 2)
    middle = word[place + 1] + word[place] if chance.random() < 0.6 else word[place]
    words[number] = word[:place] + middle + word[place + 2 :]
    return " ".join(words)


def write_ticket(section: str, chance: random.Random) -> Ticket:
    """Return a ticket of a section."""
    matter = chance.choice(CASES[section])
    sentences = [chance.choice(matter.openings), *chance.sample(matter.details, chance.choice([0, 1, 1, 2, 2]))]
    if chance.random() < TWO_MATTERS:
        other = chance.choice([name for name in CASES if name != section])
        sentences.insert(chance.randrange(1, len(sentences) + 1), chance.choice(ASIDES[other].split(" | ")))
    whole = " ".join([chance.choice(GREETINGS), *sentences, chance.choice(CLOSINGS)]).strip()
    titles = VAGUE_TITLES if chance.random() < VAGUE else matter.titles
    texts = fill("\n".join([chance.choice(titles), whole]), chance)  # together: both name the same product
    title, description = texts.split("\n")
    if chance.random() < TYPING_ERRORS:
        description = mistyped(description, chance)
    if chance.random() < 0.12:
        title, description = title.lower(), description.lower()
    return Ticket(title, description, section)


def write_tickets(sizes: dict[str, int], chance: random.Random, known: set[tuple[str, str]]) -> list[Ticket]:
    """Return different tickets, also different from the known ones, in random order."""
    tickets = []
    for section, size in sizes.items():
        while size:
            ticket = write_ticket(section, chance)
            if ticket.text() not in known:
                known.add(ticket.text())
                tickets.append(ticket)
                size -= 1
    chance.shuffle(tickets)
    return tickets


def spoil(tickets: list[Ticket], chance: random.Random) -> list[Ticket]:
    """Return the tickets with wrong and missing labels, other spellings, and copies."""
    sections = list(CASES)
    numbers = chance.sample(range(len(tickets)), WRONG_LABELS + MISSING_LABELS)
    spoiled = [
        replace(ticket, section=chance.choice(SPELLINGS[ticket.section]))
        if ticket.section in SPELLINGS and chance.random() < OTHER_SPELLING
        else ticket
        for ticket in tickets
    ]
    for number in numbers[:WRONG_LABELS]:
        wrong = chance.choice([section for section in sections if section != tickets[number].section])
        spoiled[number] = replace(tickets[number], section=wrong)
    for number in numbers[WRONG_LABELS:]:
        spoiled[number] = replace(tickets[number], section="")
    for number, ticket in enumerate(chance.sample(tickets, EXACT_COPIES)):
        section = ticket.section if number % 3 else chance.choice([name for name in sections if name != ticket.section])
        spoiled.insert(chance.randrange(len(spoiled)), replace(ticket, section=section))
    long = [ticket for ticket in tickets if len(ticket.description.split()) > 24]
    for ticket in chance.sample(long, NEAR_COPIES):
        title = chance.choice(RE_TITLES).format(title=ticket.title)
        description = f"{ticket.description} {chance.choice(REMINDERS)}"
        spoiled.insert(chance.randrange(len(spoiled)), replace(ticket, title=title, description=description))
    return spoiled


def write_table(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def make(folder: Path) -> None:
    """Write both tables into a folder."""
    chance = random.Random(SEED)
    known: set[tuple[str, str]] = set()
    tickets = spoil(write_tickets(TICKETS, chance, known), chance)
    new = [*write_tickets(NEW_TICKETS, chance, known), *UNUSUAL]
    chance.shuffle(new)
    rows = [
        [f"T{number}", ticket.title, ticket.description, ticket.section]
        for number, ticket in enumerate(tickets, start=1001)
    ]
    write_table(folder / "tickets.csv", ["id", "title", "description", "section"], rows)
    first = 1001 + len(tickets)
    new_rows = [[f"T{number}", ticket.title, ticket.description] for number, ticket in enumerate(new, start=first)]
    write_table(folder / "new-tickets.csv", ["id", "title", "description"], new_rows)


if __name__ == "__main__":
    make(FOLDER)
