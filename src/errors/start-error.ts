// Why a command cannot go on, as a message for the operator.

export class StartError extends Error {
  override readonly name = 'StartError';
}
