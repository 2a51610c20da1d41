class Ledger:
    def __init__(self, name):
        self.name, self.entries, self.is_open = name, [], True

    def add(self, amount, tag=''):
        if not self.is_open:
            raise RuntimeError('closed')
        self.entries.append((amount, tag))
        return self.balance

    @property
    def balance(self):
        return sum(amount for amount, _ in self.entries)

    def by_tag(self, tag):
        return [amount for amount, one in self.entries if one == tag]

    def close(self):
        self.is_open = False
