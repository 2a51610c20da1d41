class InventoryError(Exception):
    """Base of all errors here."""


class OutOfStock(InventoryError, LookupError):
    def __init__(self, item, wanted, have=0):
        super().__init__(f"{item}: wanted {wanted}, have {have}")
        self.item = item
        self.wanted = wanted
        self.have = have

    @property
    def missing(self):
        return self.wanted - self.have


class Inventory:
    def __init__(self, **stock):
        self._stock = dict(stock)

    def take(self, item, count=1):
        if count <= 0:
            raise ValueError("count must be positive") from None
        have = self._stock.get(item, 0)
        if have < count:
            raise OutOfStock(item, count, have)
        self._stock[item] = have - count
        return count

    def parse_and_take(self, text):
        item, _, number = text.partition(":")
        try:
            return self.take(item, int(number))
        except ValueError as error:
            raise InventoryError("bad order") from error
