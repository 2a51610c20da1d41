import unittest

from bank_account import (
    BankAccount,
)


class BankAccountTest(unittest.TestCase):
    def test_new_account_is_empty(self):
        account = BankAccount()
        account.open()
        self.assertEqual(account.get_balance(), 0)

    def test_deposit_twice(self):
        account = BankAccount()
        account.open()
        account.deposit(100)
        account.deposit(50)
        self.assertEqual(account.get_balance(), 150)

    def test_withdraw_all(self):
        account = BankAccount()
        account.open()
        account.deposit(100)
        account.withdraw(100)
        self.assertEqual(account.get_balance(), 0)

    def test_closed_account_has_no_balance(self):
        account = BankAccount()
        account.open()
        account.close()
        with self.assertRaises(ValueError) as err:
            account.get_balance()
        self.assertEqual(type(err.exception), ValueError)
        self.assertEqual(err.exception.args[0], "account not open")

    def test_cannot_open_twice(self):
        account = BankAccount()
        account.open()
        with self.assertRaises(ValueError) as err:
            account.open()
        self.assertEqual(type(err.exception), ValueError)
        self.assertEqual(err.exception.args[0], "account already open")

    def test_cannot_withdraw_more_than_there_is(self):
        account = BankAccount()
        account.open()
        account.deposit(25)
        with self.assertRaises(ValueError) as err:
            account.withdraw(50)
        self.assertEqual(err.exception.args[0], "amount must be less than balance")

    def test_cannot_deposit_negative(self):
        account = BankAccount()
        account.open()
        with self.assertRaises(ValueError) as err:
            account.deposit(-50)
        self.assertEqual(err.exception.args[0], "amount must be greater than 0")

    def test_reopened_account_is_empty(self):
        account = BankAccount()
        account.open()
        account.deposit(50)
        account.close()
        account.open()
        self.assertEqual(account.get_balance(), 0)
