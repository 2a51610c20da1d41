from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction


def vat(price, rate='0.19'):
    return (Decimal(price) * Decimal(rate)).quantize(Decimal('0.01'), rounding=ROUND_HALF_EVEN)


def average(values):
    return Fraction(sum(values), len(values))


def next_workday(day):
    day += timedelta(days=1)
    while day.weekday() >= 5:
        day += timedelta(days=1)
    return day


def as_utc(moment):
    if moment.tzinfo is None:
        raise ValueError('naive')
    return moment.astimezone(timezone.utc)


def age(born, today=date(2024, 1, 1)):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def parse(text):
    return datetime.strptime(text, '%Y-%m-%d %H:%M')
