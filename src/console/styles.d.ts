// Style sheets are taken by the bundler, and give nothing to import.
declare module '*.css'
