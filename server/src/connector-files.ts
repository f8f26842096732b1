/** Reading and checking connector files, for the command line: without a database, and without loading the service. */
export { readReference } from './core/json/json-pointer.ts'
export { isObject } from './core/json/object.ts'
export { SHIPPED_FOLDER } from './features/connectors/catalog/catalog.ts'
export { checkConnectors } from './features/connectors/catalog/check-connectors.ts'
export { readConnector } from './features/connectors/catalog/read-connector.ts'
export { showProblem } from './features/connectors/catalog/rules/connector-problem.ts'
