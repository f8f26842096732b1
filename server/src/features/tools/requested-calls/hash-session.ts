import { hash } from 'node:crypto'

/** Identifies a session in the database. `id`: null for a client without a session. */
export const hashSession = (id: string | null): Buffer => hash('sha256', id ?? '', 'buffer')
