/** Thrown for a request that cannot be answered. The message is for the user. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 405 | 409 | 413

  constructor(status: Refusal['status'], message: string) {
    super(message)
    this.status = status
  }
}
