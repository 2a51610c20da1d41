/** A model provider for tests: real HTTP on loopback, with every fault that a provider can have. */
export { answerFromPrompt } from './answers.ts'
export { FAULTS, keyOf, type Effect, type Fault, type FaultMix } from './faults.ts'
export { startModelProcess, type ModelProcess } from './process.ts'
export { ModelServer, startModelServer, type Counts, type ModelServerOptions } from './server.ts'
export { WIRE_APIS, type ModelReply, type ModelRequest, type WireApi } from './wire.ts'
