import logging

logger = logging.getLogger(__name__)
audit = logging.getLogger('audit')


def login(user, password):
    logger.debug('checking %s', user)
    if password != 'secret':
        logger.warning('login of %s failed', user)
        return False
    audit.info('login %s', user)
    return True


def crash():
    try:
        1 / 0
    except ZeroDivisionError:
        logger.error('division')
