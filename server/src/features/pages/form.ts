export type Form = Record<string, string | undefined>

/** Repeated fields are dropped, and the null prototype keeps names such as `constructor` from resolving. */
export const readForm = (body: unknown): Form =>
  Object.assign(
    Object.create(null) as Form,
    Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => typeof value === 'string')),
  )
