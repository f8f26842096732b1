import type { ConnectorFile } from '@carabiner/contract'

/** Whether an error value of the vendor means that the credential was revoked or has ended for good. */
export const statesRevocation = (errors: ConnectorFile['errors'], code: string | null): boolean =>
  code !== null && errors?.revoked?.includes(code) === true
