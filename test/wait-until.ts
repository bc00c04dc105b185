// Waits for something that no event tells of.

export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + 120_000;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
