export { type ApiKeyModel, apiKeyPage } from './api-key.ts'
export { type ConsentModel, consentPage } from './consent.ts'
export {
  type CancelledModel,
  type ConnectedModel,
  cancelledPage,
  connectedPage,
  expiredPage,
  type FailedModel,
  failedPage,
  type ReturnToAppModel,
  refusedPage,
  returnToAppPage,
  usedPage,
} from './endings.ts'
export * from './model.ts'
export { type PickerModel, pickerPage } from './picker.ts'
export { STYLE_HASH } from './stylesheet.ts'
