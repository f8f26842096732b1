import { ConnectorFile } from '../packages/contract/src/connector.ts'

/** The schema of connector files, for editors. `$schema` in a file leads to it. */
export const makeConnectorSchema = (): string =>
  `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...ConnectorFile }, null, 2)}\n`
