def plural(word):
    if word.endswith('y') and word[-2:-1] not in 'aeiou':
        return word[:-1] + 'ies'
    return word + ('es' if word.endswith(('s', 'x', 'ch')) else 's')


def title(text):
    return ' '.join(part[:1].upper() + part[1:] for part in text.split())


def positions(text, letter):
    return [index for index, one in enumerate(text) if one == letter]
