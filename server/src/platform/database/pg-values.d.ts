// The driver's own way from a value to the wire; its published types leave it out.
declare module 'pg/lib/utils.js' {
  export const prepareValue: (value: unknown) => string | Buffer | null
}
