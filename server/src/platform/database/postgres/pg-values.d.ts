// The driver's own serialization of values, which its published types omit.
declare module 'pg/lib/utils.js' {
  export const prepareValue: (value: unknown) => string | Buffer | null
}
