import { Parser } from "followup"; console.log(new Parser().feed("hi"));
