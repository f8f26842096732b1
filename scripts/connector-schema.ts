import { ConnectorFile } from '../packages/contract/src/connector.ts'

/** The JSON Schema of connector files, for editors. Files refer to it with `$schema`. */
export const makeConnectorSchema = (): string =>
  `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...ConnectorFile }, null, 2)}\n`
