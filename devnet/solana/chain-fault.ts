// What can go wrong: calls that are refused as nodes refuse them, and a machine without the chain.

/** The virtual machine has no build for this machine, or is not installed. */
export class NoVirtualMachineError extends Error {
  override readonly name = 'NoVirtualMachineError';
}

/** An error of a call, with the code that nodes use for it (agave, `rpc_custom_error.rs`). */
export class ChainFault extends Error {
  override readonly name = 'ChainFault';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
