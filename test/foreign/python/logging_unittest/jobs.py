import logging

log = logging.getLogger('jobs.runner')


def run(jobs):
    done = 0
    for name, job in jobs.items():
        try:
            job()
        except Exception as error:
            log.error('%s failed: %s', name, error)
        else:
            done += 1
            log.info('%s done', name)
    return done
