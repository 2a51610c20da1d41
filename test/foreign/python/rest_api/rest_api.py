import json


class RestAPI:
    def __init__(self, database=None):
        self.database = database if database is not None else {'users': []}

    def get(self, url, payload=None):
        users = self.database['users']
        if payload is not None:
            wanted = json.loads(payload)['users']
            users = [user for user in users if user['name'] in wanted]
        return json.dumps({'users': sorted(users, key=lambda user: user['name'])})

    def post(self, url, payload=None):
        data = json.loads(payload)
        if url == '/add':
            user = {'name': data['user'], 'owes': {}, 'owed_by': {}, 'balance': 0.0}
            self.database['users'].append(user)
            return json.dumps(user)
        lender, borrower = (self._find(data[role]) for role in ('lender', 'borrower'))
        self._move(lender, borrower, data['amount'])
        both = sorted((lender, borrower), key=lambda user: user['name'])
        return json.dumps({'users': both})

    def _find(self, name):
        return next(user for user in self.database['users'] if user['name'] == name)

    def _move(self, lender, borrower, amount):
        debt = lender['owed_by'].get(borrower['name'], 0) - lender['owes'].get(borrower['name'], 0) + amount
        for one, other, value in ((lender, borrower, debt), (borrower, lender, -debt)):
            one['owed_by'].pop(other['name'], None)
            one['owes'].pop(other['name'], None)
            if value > 0:
                one['owed_by'][other['name']] = value
            elif value < 0:
                one['owes'][other['name']] = -value
            one['balance'] = sum(one['owed_by'].values()) - sum(one['owes'].values())
