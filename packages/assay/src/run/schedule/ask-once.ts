/**
 * Sends one request to a subject. Checks the cost and the tokens that the subject reports, before they are added up.
 */
import { SubjectError, type Answer, type Ask, type Subject } from '@assay/contract'
import { soundAnswer, soundFailure } from '../../subject/index.ts'

export async function askOnce(subject: Subject, ask: Ask): Promise<Answer> {
  try {
    return soundAnswer(await subject.answer(ask))
  } catch (error) {
    throw error instanceof SubjectError ? soundFailure(error) : error
  }
}
