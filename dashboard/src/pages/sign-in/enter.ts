/** Loads the page again, so that nothing of a previous person stays in memory. Never resolves: the caller stays busy until the page is replaced. */
export const enter = (path: string): Promise<never> => {
  window.location.assign(path)
  return new Promise(() => undefined)
}
