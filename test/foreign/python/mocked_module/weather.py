import json
import time
from urllib import request


def fetch(city):
    with request.urlopen('http://example.test/' + city) as reply:
        return json.loads(reply.read())


def temperature(city):
    return fetch(city)['temp']


def warmest(cities):
    return max(cities, key=temperature)


def poll(city, times):
    seen = []
    for _ in range(times):
        seen.append(temperature(city))
        time.sleep(60)
    return seen


SETTINGS = {'unit': 'C'}


def shown(city):
    value = temperature(city)
    return f'{value * 9 / 5 + 32:g} F' if SETTINGS['unit'] == 'F' else f'{value:g} C'
