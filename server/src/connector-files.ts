/** Reading and checking connector files, for the command line: without a database, and without loading the service. */
export { stepInto, stepsOfFragment } from './core/json-pointer.ts'
export { SHIPPED_FOLDER } from './features/connectors/catalog/catalog.ts'
export { checkConnectors } from './features/connectors/catalog/check-connectors.ts'
export { showProblem } from './features/connectors/catalog/connector-problem.ts'
export { inputSchemaProblems } from './features/connectors/catalog/input-schema-rules.ts'
export { readConnector } from './features/connectors/catalog/read-connector.ts'
