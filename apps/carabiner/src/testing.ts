/** For `@carabiner/testing`. */
export { startThrowaway, type Throwaway, type ThrowawayOptions } from '@carabiner/server/testing'
