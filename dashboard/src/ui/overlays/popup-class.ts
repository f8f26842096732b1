/** Shared by menus and selects. */
export const popupClass = 'pop rounded-popup bg-raised p-1 shadow-popup outline-none'
export const popupItemClass =
  'flex min-h-8 max-md:min-h-11 w-full items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-start text-sm select-none ' +
  'data-highlighted:bg-hover data-disabled:opacity-50 outline-none'
