import { Secret } from '../../core/secret.ts'

/** The texts of secrets, by the names of their fields. */
export const revealAll = (secrets: Record<string, Secret>): Record<string, string> =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]))

export const concealAll = (texts: Record<string, string>): Record<string, Secret> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, new Secret(text)]))
