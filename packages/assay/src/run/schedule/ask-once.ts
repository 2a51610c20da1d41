/** One request to a subject. What it says about its cost and tokens is checked before anybody adds it up. */
import { SubjectError, type Answer, type Ask, type Subject } from '@assay/contract'
import { soundAnswer, soundFailure } from '../../subject/index.ts'

export async function askOnce(subject: Subject, ask: Ask): Promise<Answer> {
  try {
    return soundAnswer(await subject.answer(ask))
  } catch (error) {
    throw error instanceof SubjectError ? soundFailure(error) : error
  }
}
