export * from './authenticate.ts'
export { createLink } from './create-link.ts'
export { LinkError } from './link-error.ts'
export type * from './types.ts'
