export const CONNECTOR_STATES = ['all', 'ready', 'setup', 'own'] as const
export type ConnectorState = (typeof CONNECTOR_STATES)[number]
export const CONNECTOR_TABS = ['tools', 'app', 'changes'] as const
export type ConnectorTab = (typeof CONNECTOR_TABS)[number]
