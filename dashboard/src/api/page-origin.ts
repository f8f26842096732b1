let serviceOrigin = ''

/** For pages that the service renders. */
export const setServiceOrigin = (origin: string): void => {
  serviceOrigin = origin
}

/** Scheme and host of the dashboard, which are those of the API. */
export const pageOrigin = (): string => (import.meta.env.SSR ? serviceOrigin : window.location.origin)
