import json
import unittest

from rest_api import RestAPI


class RestApiTest(unittest.TestCase):
    maxDiff = None

    def test_no_users(self):
        database = {"users": []}
        api = RestAPI(database)
        response = api.get("/users")
        self.assertDictEqual(json.loads(response), {"users": []})

    def test_add_user(self):
        database = {"users": []}
        api = RestAPI(database)
        payload = json.dumps({"user": "Adam"})
        response = api.post("/add", payload)
        expected = {"name": "Adam", "owes": {}, "owed_by": {}, "balance": 0.0}
        self.assertDictEqual(json.loads(response), expected)

    def test_get_single_user(self):
        database = {
            "users": [
                {"name": "Bob", "owes": {}, "owed_by": {}, "balance": 0.0},
                {"name": "Adam", "owes": {}, "owed_by": {}, "balance": 0.0},
            ]
        }
        api = RestAPI(database)
        response = api.get("/users", json.dumps({"users": ["Bob"]}))
        self.assertDictEqual(
            json.loads(response),
            {"users": [{"name": "Bob", "owes": {}, "owed_by": {}, "balance": 0.0}]},
        )

    def test_lender_owes_borrower_less_than_new_loan(self):
        database = {
            "users": [
                {"name": "Adam", "owes": {"Bob": 3.0}, "owed_by": {}, "balance": -3.0},
                {"name": "Bob", "owes": {}, "owed_by": {"Adam": 3.0}, "balance": 3.0},
            ]
        }
        api = RestAPI(database)
        response = api.post("/iou", json.dumps({"lender": "Adam", "borrower": "Bob", "amount": 4.0}))
        self.assertDictEqual(
            json.loads(response),
            {
                "users": [
                    {"name": "Adam", "owes": {}, "owed_by": {"Bob": 1.0}, "balance": 1.0},
                    {"name": "Bob", "owes": {"Adam": 1.0}, "owed_by": {}, "balance": -1.0},
                ]
            },
        )

    def test_equal_loan(self):
        database = {
            "users": [
                {"name": "Adam", "owes": {"Bob": 3.0}, "owed_by": {}, "balance": -3.0},
                {"name": "Bob", "owes": {}, "owed_by": {"Adam": 3.0}, "balance": 3.0},
            ]
        }
        api = RestAPI(database)
        api.post("/iou", json.dumps({"lender": "Adam", "borrower": "Bob", "amount": 3.0}))
        self.assertEqual(database["users"][0]["owes"], {})
        self.assertEqual(database["users"][1]["balance"], 0.0)
