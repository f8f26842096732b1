/** Sends neither cookies nor a referrer. */
export const request = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' })
