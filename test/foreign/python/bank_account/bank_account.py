class BankAccount:
    def __init__(self):
        self._balance = None

    def _check(self):
        if self._balance is None:
            raise ValueError('account not open')

    def open(self):
        if self._balance is not None:
            raise ValueError('account already open')
        self._balance = 0

    def close(self):
        self._check()
        self._balance = None

    def get_balance(self):
        self._check()
        return self._balance

    def deposit(self, amount):
        self._check()
        if amount <= 0:
            raise ValueError('amount must be greater than 0')
        self._balance += amount

    def withdraw(self, amount):
        self._check()
        if amount > self._balance:
            raise ValueError('amount must be less than balance')
        if amount <= 0:
            raise ValueError('amount must be greater than 0')
        self._balance -= amount
