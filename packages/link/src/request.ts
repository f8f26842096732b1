/** Says nothing about the page or the person but what it is asked to say. */
export const request = (address: string, init: RequestInit): Promise<Response> =>
  fetch(address, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' })
