import { hash } from 'node:crypto'

/** For random values that are compared with what a browser sends back: only the hash is stored. */
export const hashSecret = (value: string): Buffer => hash('sha256', value, 'buffer')
