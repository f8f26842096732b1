import { hash } from 'node:crypto'

/** Hashes a random value that a browser later sends back; only the hash is stored. */
export const hashSecret = (value: string): Buffer => hash('sha256', value, 'buffer')
